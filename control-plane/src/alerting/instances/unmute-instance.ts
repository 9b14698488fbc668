import type { AlertInstanceId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { lockOpenInstance } from "./change-instance.ts";
import { liftMute } from "./lift-mute.ts";
import { postgresInstanceWriter } from "./mute-store.ts";

/**
 * Ends the mute of an open instance; channels are now notified of what it kept back. Harmless when nothing mutes it.
 * @throws DomainError `not_found`, or `conflict` when the instance has ended
 */
export async function unmuteInstance(
  { services, teamId, author }: TeamContext,
  { id }: { id: AlertInstanceId },
): Promise<void> {
  await services.knex.transaction(async (trx) => {
    const instance = await lockOpenInstance(trx, teamId, id);
    if (instance.mutedBy === null) return;
    await liftMute(postgresInstanceWriter(trx), {
      instance,
      by: { actorId: author.actor },
      atMs: services.clock.nowMs(),
    });
  });
}
