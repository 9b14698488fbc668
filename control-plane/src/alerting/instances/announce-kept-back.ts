import type { InstanceWriter } from "./mute-store.ts";
import type { InstanceDetailRow } from "./row.ts";

/**
 * Notifies channels of what the mute or the hold of an open instance kept back: the trigger, or that the severity rose.
 * An instance that was acknowledged before its trigger was announced is announced as acknowledged, too, so that its member of an
 * incident is, and pages end.
 * @param instance as it was before the end of the mute or the hold. `atMs`: Unix ms
 */
export async function announceKeptBack(
  writer: InstanceWriter,
  { instance, atMs }: { instance: InstanceDetailRow; atMs: number },
): Promise<void> {
  if (instance.wasAnnounced) {
    if (instance.hasUnannouncedEscalation) await writer.notifyChannels({ instance, kind: "escalated", atMs });
    return;
  }
  await writer.notifyChannels({ instance, kind: "triggered", atMs });
  if (instance.state === "acknowledged")
    await writer.notifyChannels({
      instance,
      kind: "acknowledged",
      atMs,
      actorId: instance.acknowledgedBy,
    });
}
