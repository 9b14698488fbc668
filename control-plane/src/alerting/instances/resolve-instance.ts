import { DomainError, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeInstance, isOpen, lockInstance, tellChannels } from "./change-instance.ts";
import { durationOf } from "./row.ts";

/**
 * Someone declares it over. The rule fires anew with the next failure.
 * @param actorId user or API key   @returns how long it lasted, ms
 * @throws DomainError not_found, conflict (it is recovered or resolved already)
 */
export async function resolveInstance(
  { knex, clock }: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<number> {
  return knex.transaction(async (trx) => {
    const row = await lockInstance(trx, teamId, id);
    if (!isOpen(row)) throw new DomainError("conflict", `Alert instance is ${row.state} already`);
    const nowMs = clock.nowMs();
    const resolvedAt = new Date(nowMs);
    await changeInstance(trx, row, { state: "resolved", resolvedAt }, { type: "resolved", actorId }, nowMs);
    if (row.wasAnnounced) await tellChannels(trx, row, "resolved", nowMs, actorId);
    return durationOf({ ...row, resolvedAt: resolvedAt.toISOString() }) ?? 0;
  });
}
