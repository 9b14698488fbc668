/** The signed-in person's own account: sessions, password, and the team that a session works in. */
import {
  DomainError,
  notFound,
  type SessionId,
  type SetPassword,
  type SignInSession,
  type TeamId,
} from "@svc/contract";
import type { sessionOf } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import { hashPassword, verifyPassword } from "../identity/passwords.ts";
import {
  deleteSignInSessionRow,
  findPasswordHash,
  listSignInSessionRows,
  moveSession,
  replacePassword,
} from "./store.ts";

type Person = ReturnType<typeof sessionOf>;

/** Returns the account's sessions in all of its teams, the newest first. */
export async function listOwnSessions(
  { knex, clock }: Services,
  { userId, sessionId }: Person,
): Promise<SignInSession[]> {
  const rows = await listSignInSessionRows(knex, { userId, now: new Date(clock.nowMs()) });
  return rows.map((row) => ({ ...row, isCurrent: row.id === sessionId }));
}

/**
 * Ends a session of the account: its next request is refused.
 * @throws DomainError `not_found`
 */
export async function endOwnSession({ knex }: Services, { userId }: Person, id: SessionId): Promise<void> {
  if (!(await deleteSignInSessionRow(knex, { userId, id }))) throw notFound("Session");
}

/**
 * Stores another password and ends the account's other sessions.
 * @throws DomainError `unauthenticated` when the current password is missing or wrong; `forbidden` where an identity provider signs in
 */
export async function setOwnPassword(
  { knex, clock, config }: Services,
  { userId, sessionId }: Person,
  { currentPassword, newPassword }: SetPassword,
): Promise<void> {
  if (config.oidcIssuer)
    throw new DomainError(
      "forbidden",
      "People sign in through the identity provider here; it has the passwords",
    );
  const stored = await findPasswordHash(knex, userId);
  if (stored !== null && !(await verifyPassword(currentPassword ?? "", stored)))
    throw new DomainError("unauthenticated", "is not the password of this account");
  const passwordHash = await hashPassword(newPassword);
  await knex.transaction((trx) =>
    replacePassword(trx, {
      userId,
      passwordHash,
      updatedAt: new Date(clock.nowMs()),
      exceptSession: sessionId,
    }),
  );
}

/**
 * Leads the session, and the account's next sign-in, to another team.
 * @throws DomainError `not_found` when the person is not in that team
 */
export async function switchTeam(
  { knex }: Services,
  { userId, sessionId }: Person,
  teamId: TeamId,
): Promise<void> {
  const isMoved = await knex.transaction((trx) => moveSession(trx, { sessionId, userId, teamId }));
  if (!isMoved) throw notFound("Team");
}
