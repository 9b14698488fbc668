/** Members of a team: their roles, and their end. A team keeps at least one owner. */
import { DomainError, type Member, notFound, type TeamRole, type UserId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { findActorName } from "../audit/store.ts";
import { deleteMembership, listMemberRows, lockRoles, updateRole } from "./store.ts";

/** Returns the team's people, the first joined first. */
export function listMembers({ services, teamId }: TeamContext): Promise<Member[]> {
  return listMemberRows(services.knex, teamId);
}

/**
 * Gives a member another role, which their next request has.
 * @throws DomainError `not_found`; `conflict` when the team would have no owner left
 */
export async function setMemberRole(
  ctx: TeamContext,
  { userId, role }: { userId: UserId; role: TeamRole },
): Promise<Member> {
  const { services, teamId } = ctx;
  return services.knex.transaction(async (trx) => {
    const formerRole = await lockFormerRole(ctx, trx, { userId, role });
    await updateRole(trx, { teamId, userId }, role);
    const member = (await listMemberRows(trx, teamId)).find((one) => one.userId === userId);
    if (!member) throw notFound("Member");
    const about = { resourceId: userId, resourceName: member.email };
    if (role !== formerRole)
      await recordAudit(ctx, { action: "member.role_changed", ...about, detail: { role, formerRole } }, trx);
    return member;
  });
}

/**
 * Removes a member; their sessions in the team end.
 * @throws DomainError `not_found`; `conflict` when the team would have no owner left
 */
export async function removeMember(ctx: TeamContext, userId: UserId): Promise<void> {
  const { services, teamId } = ctx;
  await services.knex.transaction(async (trx) => {
    const role = await lockFormerRole(ctx, trx, { userId, role: undefined });
    const about = { resourceId: userId, resourceName: await findActorName(trx, userId) };
    await recordAudit(ctx, { action: "member.removed", ...about, detail: { role } }, trx);
    await deleteMembership(trx, { teamId, userId });
  });
}

/**
 * Locks the team's roles and returns the one that the person has so far.
 * @param input.role role to come; undefined: the person is to be removed
 * @throws DomainError `not_found`; `conflict` when the team would have no owner left
 */
async function lockFormerRole(
  { teamId }: Pick<TeamContext, "teamId">,
  trx: Knex,
  { userId, role }: { userId: UserId; role: TeamRole | undefined },
): Promise<TeamRole> {
  const roles = await lockRoles(trx, teamId);
  const formerRole = roles.get(userId);
  if (!formerRole) throw notFound("Member");
  const others = [...roles].filter(([id]) => id !== userId);
  if (role === "owner" || others.some(([, otherRole]) => otherRole === "owner")) return formerRole;
  throw new DomainError("conflict", "This is the team's last owner; make another member an owner first");
}
