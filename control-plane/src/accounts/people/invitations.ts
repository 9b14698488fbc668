/** Invitations: a person joins a team by a one-time link, which somebody of the team hands over. */
import {
  type CreatedInvitation,
  type CreateInvitation,
  DAY_MS,
  DomainError,
  type Invitation,
  type InvitationId,
  newId,
  notFound,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { hashToken, newToken } from "../identity/tokens.ts";
import { deleteInvitationRow, hasMemberWithEmail, insertInvitation, listInvitationRows } from "./store.ts";

/** Time within which an invitation can be accepted. */
export const INVITATION_LIFETIME_MS = 7 * DAY_MS;
/** Path of the page that an invitation's link opens. */
export const INVITATION_PATH = "/auth/invitation";
/** Invitations of a team that can wait at once. */
const INVITATIONS_MAX = 500;

/**
 * Invites a person. Only this answer shows the link. An earlier invitation of the address works no more.
 * @throws DomainError `conflict` when the person is a member; `limit_exceeded` beyond 500 invitations that wait
 */
export async function createInvitation(
  ctx: TeamContext,
  { email, role }: CreateInvitation,
): Promise<CreatedInvitation> {
  const { services, teamId, author } = ctx;
  const { knex, clock, publicUrl } = services;
  const token = newToken();
  const nowMs = clock.nowMs();
  const invitation = await knex.transaction(async (trx) => {
    if (await hasMemberWithEmail(trx, teamId, email))
      throw new DomainError("conflict", `${email} is a member of the team already`);
    const inserted = await insertInvitation(trx, {
      id: newId("invitation"),
      teamId,
      email,
      role,
      tokenHash: hashToken(token),
      invitedBy: author.source === "ui" ? author.actor : null,
      createdAt: new Date(nowMs),
      expiresAt: new Date(nowMs + INVITATION_LIFETIME_MS),
    });
    if ((await listInvitationRows(trx, { teamId, now: new Date(nowMs) })).length > INVITATIONS_MAX)
      throw new DomainError("limit_exceeded", `At most ${INVITATIONS_MAX} invitations can wait; revoke some`);
    const about = { resourceId: inserted.id, resourceName: email };
    await recordAudit(ctx, { action: "invitation.created", ...about, detail: { role } }, trx);
    return inserted;
  });
  return { ...invitation, link: `${publicUrl()}${INVITATION_PATH}?token=${token}` };
}

/** Returns the team's invitations that can still be accepted, the newest first. */
export function listInvitations({ services, teamId }: TeamContext): Promise<Invitation[]> {
  return listInvitationRows(services.knex, { teamId, now: new Date(services.clock.nowMs()) });
}

/** @throws DomainError `not_found`, also once the invitation was accepted */
export async function deleteInvitation(ctx: TeamContext, id: InvitationId): Promise<void> {
  const { services, teamId } = ctx;
  await services.knex.transaction(async (trx) => {
    const email = await deleteInvitationRow(trx, { teamId, id });
    if (email === undefined) throw notFound("Invitation");
    await recordAudit(ctx, { action: "invitation.revoked", resourceId: id, resourceName: email }, trx);
  });
}
