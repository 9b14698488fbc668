import { DomainError, type Session } from "@svc/contract";
import type { Knex } from "knex";
import type { Membership } from "./sign-in.ts";
import { findIdentity, findSignInExpiry, listTeamsOf } from "./store.ts";

/**
 * Returns a session as the API shows it: who is signed in, where and as what, and in which other teams the person is.
 * @throws DomainError `unauthenticated` when the account or the membership is gone
 */
export async function getSession(
  knex: Knex,
  { userId, teamId, tokenHash }: Membership & { tokenHash: Buffer },
): Promise<Session> {
  const [identity, teams, expiresAt] = await Promise.all([
    findIdentity(knex, { userId, teamId }),
    listTeamsOf(knex, userId),
    findSignInExpiry(knex, tokenHash),
  ]);
  const role = teams.find(({ id }) => id === teamId)?.role;
  if (!identity || !role) throw new DomainError("unauthenticated", "This account does not exist any more");
  return { ...identity, role, teams, expiresAt: expiresAt ?? "" };
}
