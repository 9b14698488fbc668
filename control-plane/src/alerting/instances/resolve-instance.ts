import type { AlertInstanceId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeInstance, lockOpenInstance, notifyChannels } from "./change-instance.ts";
import { durationOf } from "./row.ts";

/**
 * Resolves an open instance on behalf of the author. Its rule fires anew with the next failure.
 * @returns how long the instance lasted, ms
 * @throws DomainError `not_found`, or `conflict` when the instance is recovered or resolved already
 */
export async function resolveInstance(
  { services, teamId, author }: TeamContext,
  { id }: { id: AlertInstanceId },
): Promise<number> {
  return services.knex.transaction(async (trx) => {
    const instance = await lockOpenInstance(trx, teamId, id);
    const atMs = services.clock.nowMs();
    const resolvedAt = new Date(atMs);
    const actorId = author.actor;
    await changeInstance(trx, {
      instance,
      patch: { state: "resolved", resolvedAt },
      event: { type: "resolved", actorId },
      atMs,
    });
    if (instance.wasAnnounced) await notifyChannels(trx, { instance, kind: "resolved", atMs, actorId });
    return durationOf({ ...instance, resolvedAt: resolvedAt.toISOString() }) ?? 0;
  });
}
