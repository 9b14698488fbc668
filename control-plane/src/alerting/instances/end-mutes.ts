/** Ends mutes that are over: those of people with an end, and those of maintenance windows. */
import { liftMute } from "./lift-mute.ts";
import type { InstanceWriter, MuteStore } from "./mute-store.ts";
import { type InstanceDetailRow, isOpen } from "./row.ts";

const INSTANCES_AT_ONCE = 500;

/**
 * Ends every mute that is over and notifies channels of what it kept back, if the instance still lasts. An instance whose
 * mute by somebody ends inside a maintenance window stays muted by the window. Harmless to overlap with another replica's
 * call.
 */
export async function endMutes(
  store: MuteStore,
  nowMs: number,
  instancesAtOnce = INSTANCES_AT_ONCE,
): Promise<void> {
  let afterId = "";
  for (;;) {
    const muted = await store.readMutedInstances({ nowMs, afterId, limit: instancesAtOnce });
    await endMutesOf(store, muted, nowMs);
    if (muted.length < instancesAtOnce) return;
    afterId = muted.at(-1)?.id ?? "";
  }
}

async function endMutesOf(
  store: MuteStore,
  muted: readonly InstanceDetailRow[],
  nowMs: number,
): Promise<void> {
  const checks = muted.flatMap(({ teamId, checkId }) => (checkId === null ? [] : [{ teamId, checkId }]));
  const inMaintenance = await store.findChecksInMaintenance(checks, nowMs);
  for (const { id, teamId, checkKey, sloKey, checkId, mutedBy } of muted) {
    const isInMaintenance = checkId !== null && inMaintenance.has(checkId);
    if (isInMaintenance && mutedBy === "window") continue;
    await store.transaction(async (trx) => {
      await trx.lockSubjects([{ checkKey, sloKey }]);
      const instance = await trx.findInstance(teamId, id);
      if (!instance || !isOpen(instance) || !isMuteOver(instance, nowMs)) return;
      if (isInMaintenance) await handOverToWindow(trx, instance, nowMs);
      else
        await liftMute(trx, {
          instance,
          by: { actorId: null, detail: { by: instance.mutedBy } },
          atMs: nowMs,
        });
    });
  }
}

function isMuteOver({ mutedBy, mutedUntil }: InstanceDetailRow, nowMs: number): boolean {
  if (mutedBy === "window") return true;
  return mutedBy === "user" && mutedUntil !== null && Date.parse(mutedUntil) <= nowMs;
}

async function handOverToWindow(
  trx: InstanceWriter,
  instance: InstanceDetailRow,
  atMs: number,
): Promise<void> {
  await trx.changeInstance({
    instance,
    patch: { mutedBy: "window", mutedUntil: null },
    event: { type: "muted", actorId: null, detail: { by: "window" } },
    atMs,
  });
}
