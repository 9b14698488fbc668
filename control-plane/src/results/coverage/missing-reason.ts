/** Why a slot has no result. Pure. All instants are Unix ms of the control plane's clock. */
import { MISSING_REASONS, type MissingReason } from "@svc/contract";
import { GRACE_MS } from "../../fleet/timing.ts";

/** When a runner was alive at a location, both ends included. */
export interface Presence {
  locationKey: number;
  fromMs: number;
  untilMs: number;
  capabilities: readonly string[];
}

/** A slot without a result. */
export interface MissingSlot {
  locationKey: number;
  slotMs: number;
  /** When its run was due: the slot plus the location's stagger. */
  dueMs: number;
  /** Why the runners that were to run it could not, when one of them said so. */
  recordedReason: string | null;
}

/** What was said about the slot; else who was at the location at the instant when its run was due. */
export function missingReason(
  slot: MissingSlot,
  checkType: string,
  presences: readonly Presence[],
): MissingReason {
  const recorded = MISSING_REASONS.find((reason) => reason === slot.recordedReason);
  if (recorded) return recorded;
  const present = presencesIn(slot, presences, slot.dueMs, slot.dueMs);
  if (present.length === 0) return "no_runner";
  return present.some((presence) => presence.capabilities.includes(checkType))
    ? "unknown"
    : "no_capable_runner";
}

/**
 * Whether a slot without a result may still be running: nobody gave it up, a runner that can run it was there before the
 * grace was over, and the longest run has not passed since.
 * @param runMsMax longest that a run of the check may take, ms
 */
export function mayStillRun(
  slot: MissingSlot,
  checkType: string,
  presences: readonly Presence[],
  runMsMax: number,
  nowMs: number,
): boolean {
  if (slot.recordedReason !== null || slot.dueMs + GRACE_MS + runMsMax <= nowMs) return false;
  return presencesIn(slot, presences, slot.dueMs, slot.dueMs + GRACE_MS).some((presence) =>
    presence.capabilities.includes(checkType),
  );
}

function presencesIn(
  { locationKey }: MissingSlot,
  presences: readonly Presence[],
  fromMs: number,
  untilMs: number,
): Presence[] {
  return presences.filter(
    (presence) =>
      presence.locationKey === locationKey && presence.fromMs <= untilMs && presence.untilMs >= fromMs,
  );
}

/** The reasons as sentences. */
export const REASON_DETAILS: Record<MissingReason, string> = {
  no_runner: "No runner was connected at this location when it was due.",
  no_capable_runner: "The runners at this location can't run checks of this type.",
  runner_capacity: "The runners at this location had no room to run it and time it honestly.",
  runner_crash: "The process that ran it ended unexpectedly.",
  runner_oom: "The process that ran it ran out of memory.",
  runner_network: "The runner's own network was not usable.",
  unknown: "A runner was connected, and no result has arrived from it.",
};
