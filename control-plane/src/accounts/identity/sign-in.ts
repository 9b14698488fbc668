/** Ways to sign in that end in a session: by password, by one-time link. The third, OIDC, is in oidc.ts. */
import { DomainError, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Clock } from "../../platform/clock.ts";
import { verifyPassword } from "./passwords.ts";
import { SESSION_LIFETIME_MS } from "./session-cookie.ts";
import {
  findAccountByEmail,
  findFirstTeamId,
  insertSession,
  insertSignInLink,
  useSignInLink,
} from "./store.ts";
import { hashToken, newToken } from "./tokens.ts";

/** How long a one-time link may be used. */
export const SIGN_IN_LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;
export const SIGN_IN_LINK_PATH = "/auth/link";

/** Someone signed in to a team. */
export interface SignedIn {
  userId: string;
  teamId: TeamId;
  /** The session's token, for the cookie. */
  token: string;
}

interface Access {
  knex: Knex;
  clock: Clock;
}

/** @throws DomainError unauthenticated, with the same words and time whether the account or the password is wrong */
export async function signInByPassword(
  { knex, clock }: Access,
  email: string,
  password: string,
): Promise<SignedIn> {
  const account = await findAccountByEmail(knex, email);
  const isRight = await verifyPassword(password, account?.passwordHash);
  if (!account || !isRight) throw new DomainError("unauthenticated", "Wrong email or password");
  return startSession({ knex, clock }, account.id);
}

/** @throws DomainError gone when the link was used, has expired or never was */
export async function signInByLink({ knex, clock }: Access, token: string): Promise<SignedIn> {
  const grant = await useSignInLink(knex, hashToken(token), new Date(clock.nowMs()));
  if (!grant)
    throw new DomainError(
      "gone",
      "This sign-in link was used before or has expired; ask the operator for another",
    );
  return startSession({ knex, clock }, grant.userId, grant.teamId);
}

/** Opens a session of the person in the team, or else in the first they joined. @throws DomainError forbidden without a team */
export async function startSession(
  { knex, clock }: Access,
  userId: string,
  team?: TeamId,
): Promise<SignedIn> {
  const teamId = team ?? (await findFirstTeamId(knex, userId));
  if (!teamId)
    throw new DomainError("forbidden", "This account belongs to no team; ask the operator to add it");
  const token = newToken();
  const nowMs = clock.nowMs();
  const expiresAt = new Date(nowMs + SESSION_LIFETIME_MS);
  await insertSession(knex, { tokenHash: hashToken(token), userId, teamId, expiresAt }, new Date(nowMs));
  return { userId, teamId, token };
}

/** Makes a one-time link that signs the person in to the team. @returns its URL */
export async function createSignInLink(
  { knex, clock }: Access,
  publicUrl: string,
  { userId, teamId }: { userId: string; teamId: TeamId },
): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(clock.nowMs() + SIGN_IN_LINK_LIFETIME_MS);
  await insertSignInLink(knex, { tokenHash: hashToken(token), userId, teamId, expiresAt });
  return `${publicUrl}${SIGN_IN_LINK_PATH}?token=${token}`;
}
