import { announceKeptBack } from "./announce-kept-back.ts";
import type { InstanceWriter } from "./mute-store.ts";
import type { InstanceDetailRow } from "./row.ts";

/** The muted instance, and who ends its mute. `atMs`: Unix ms. */
export interface LiftMuteInput {
  instance: InstanceDetailRow;
  /** Person who ended the mute; the service itself has no actor. */
  by: { actorId: string | null; detail?: Record<string, unknown> };
  atMs: number;
}

/**
 * Ends the mute of an open instance and notifies channels of what the mute kept back: the trigger, or that the severity
 * rose. Call it under the lock of the instance's check.
 */
export async function liftMute(writer: InstanceWriter, { instance, by, atMs }: LiftMuteInput): Promise<void> {
  const isHeld = instance.heldReason !== null;
  await writer.changeInstance({
    instance,
    patch: {
      mutedBy: null,
      mutedUntil: null,
      ...(!isHeld && { wasAnnounced: true, hasUnannouncedEscalation: false }),
    },
    event: { type: "unmuted", ...by },
    atMs,
  });
  if (!isHeld) await announceKeptBack(writer, { instance, atMs });
  // The end of the hold announces it, or meanwhile the incident of its location.
  else if (isForIncidentOfLocation(instance)) await writer.queueHeldInstance({ instance, atMs });
}

/** True when no incident lists the alert yet that is held back because of a location, which has not come back. */
function isForIncidentOfLocation({ heldReason, heldIncidentId, heldFreeSince }: InstanceDetailRow): boolean {
  return heldReason === "location" && heldIncidentId === null && heldFreeSince === null;
}
