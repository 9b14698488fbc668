/** Members of a team: their roles, and their end. A team keeps at least one owner. */
import { DomainError, type Member, notFound, type TeamRole, type UserId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
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
  { services, teamId }: TeamContext,
  { userId, role }: { userId: UserId; role: TeamRole },
): Promise<Member> {
  return services.knex.transaction(async (trx) => {
    await assertOwnerStays({ services, teamId }, trx, { userId, role });
    await updateRole(trx, { teamId, userId }, role);
    const member = (await listMemberRows(trx, teamId)).find((one) => one.userId === userId);
    if (!member) throw notFound("Member");
    return member;
  });
}

/**
 * Removes a member; their sessions in the team end.
 * @throws DomainError `not_found`; `conflict` when the team would have no owner left
 */
export async function removeMember({ services, teamId }: TeamContext, userId: UserId): Promise<void> {
  await services.knex.transaction(async (trx) => {
    await assertOwnerStays({ services, teamId }, trx, { userId, role: undefined });
    await deleteMembership(trx, { teamId, userId });
  });
}

async function assertOwnerStays(
  { teamId }: Pick<TeamContext, "services" | "teamId">,
  trx: Knex,
  { userId, role }: { userId: UserId; role: TeamRole | undefined },
): Promise<void> {
  const roles = await lockRoles(trx, teamId);
  if (!roles.has(userId)) throw notFound("Member");
  const others = [...roles].filter(([id]) => id !== userId);
  if (role === "owner" || others.some(([, otherRole]) => otherRole === "owner")) return;
  throw new DomainError("conflict", "This is the team's last owner; make another member an owner first");
}
