import { type AlertInstanceId, DomainError } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeInstance, lockInstance, notifyChannels } from "./change-instance.ts";

/**
 * Marks an active instance as acknowledged by the author.
 * @throws DomainError `not_found`, or `conflict` when the instance is not active
 */
export async function acknowledgeInstance(
  { services, teamId, author }: TeamContext,
  { id }: { id: AlertInstanceId },
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    const instance = await lockInstance(trx, teamId, id);
    if (instance.state !== "active")
      throw new DomainError("conflict", `Alert instance is ${instance.state}, not active`);
    const atMs = services.clock.nowMs();
    const actorId = author.actor;
    await changeInstance(trx, {
      instance,
      patch: { state: "acknowledged", acknowledgedAt: new Date(atMs), acknowledgedBy: actorId },
      event: { type: "acknowledged", actorId },
      atMs,
    });
    const isSilent = instance.mutedBy !== null || instance.heldReason !== null;
    if (!isSilent || instance.wasAnnounced)
      await notifyChannels(trx, { instance, kind: "acknowledged", atMs, actorId });
  });
}
