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
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashPassword, verifyPassword } from "../identity/passwords.ts";
import { recordAccountAction } from "../identity/record-account-action.ts";
import {
  deleteSignInSessionRow,
  findPasswordHash,
  listSignInSessionRows,
  moveSession,
  replacePassword,
} from "./store.ts";

type Person = ReturnType<typeof sessionOf>;

/** A request of a signed-in person that changes their own account. */
export interface OwnContext extends Pick<TeamContext, "services" | "author"> {
  person: Person;
}

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
export async function endOwnSession(
  { services, author, person: { userId } }: OwnContext,
  id: SessionId,
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    const teamId = await deleteSignInSessionRow(trx, { userId, id });
    if (!teamId) throw notFound("Session");
    await recordAudit({ services, teamId, author }, { action: "session.revoked", resourceId: id }, trx);
  });
}

/**
 * Stores another password and ends the account's other sessions.
 * @throws DomainError `unauthenticated` when the current password is missing or wrong; `forbidden` where an identity
 * provider signs in
 */
export async function setOwnPassword(
  { services, author, person: { userId, sessionId } }: OwnContext,
  { currentPassword, newPassword }: SetPassword,
): Promise<void> {
  const { knex, clock, config } = services;
  if (config.oidcIssuer)
    throw new DomainError(
      "forbidden",
      "People sign in through the identity provider here; it has the passwords",
    );
  const stored = await findPasswordHash(knex, userId);
  if (stored !== null && !(await verifyPassword(currentPassword ?? "", stored)))
    throw new DomainError("unauthenticated", "is not the password of this account");
  const passwordHash = await hashPassword(newPassword);
  await knex.transaction(async (trx) => {
    const updatedAt = new Date(clock.nowMs());
    await replacePassword(trx, { userId, passwordHash, updatedAt, exceptSession: sessionId });
    const action = stored === null ? "password.set" : "password.changed";
    await recordAccountAction({ services, author }, trx, { action, userId });
  });
}

/**
 * Leads the session, and the account's next sign-in, to another team.
 * @throws DomainError `not_found` when the person is not in that team
 */
export async function switchTeam(
  { services, author, person: { userId, sessionId, teamId: formerTeamId } }: OwnContext,
  teamId: TeamId,
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    if (!(await moveSession(trx, { sessionId, userId, teamId }))) throw notFound("Team");
    if (teamId === formerTeamId) return;
    await recordDirection(formerTeamId, "left");
    await recordDirection(teamId, "entered");

    async function recordDirection(ofTeam: TeamId, direction: "left" | "entered"): Promise<void> {
      const action = { action: "session.team_changed", detail: { direction } } as const;
      await recordAudit({ services, teamId: ofTeam, author }, action, trx);
    }
  });
}
