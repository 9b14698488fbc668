import { DomainError, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeInstance, lockInstance, tellChannels } from "./change-instance.ts";

/**
 * Someone takes care of it: active becomes acknowledged.
 * @param actorId user or API key   @throws DomainError not_found, conflict (it is not active)
 */
export async function acknowledgeInstance(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<void> {
  await knex.transaction(async (trx) => {
    const row = await lockInstance(trx, teamId, id);
    if (row.state !== "active")
      throw new DomainError("conflict", `Alert instance is ${row.state}, not active`);
    const nowMs = clock.nowMs();
    const patch = {
      state: "acknowledged" as const,
      acknowledgedAt: new Date(nowMs),
      acknowledgedBy: actorId,
    };
    await changeInstance(trx, row, patch, { type: "acknowledged", actorId }, nowMs);
    if (row.mutedBy === null || row.wasAnnounced)
      await tellChannels(trx, row, "acknowledged", nowMs, actorId);
  });
}
