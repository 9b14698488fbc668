/** Decides why a slot has no result. Pure. All instants are Unix ms of the control plane's clock. */
import { MISSING_REASONS, type MissingReason } from "@svc/contract";
import { VAULT_CAPABILITY } from "../../fleet/derived-capabilities.ts";
import { GRACE_MS, LEASE_MS } from "../../fleet/timing.ts";
import type { TimeRange } from "./time-range.ts";

/** Time in which a runner hears of a change once its replica can read it, and a replica reads a change once it is made. */
const HEARD_OF_WITHIN_MS = 5_000;

/** A time during which a runner was alive at a location, both ends included. */
export interface Presence {
  locationKey: number;
  fromMs: number;
  untilMs: number;
  capabilities: readonly string[];
  /**
   * Times in it at which the runner had no session and got a new one, as `[from, until]`, both ends included, oldest first. The
   * runner's lease ended, or a session began, at both ends of each, and at least once a grace in between.
   */
  breaks: readonly (readonly [fromMs: number, untilMs: number])[];
}

/** A slot without a result. */
export interface MissingSlot {
  locationKey: number;
  slotMs: number;
  /** Instant at which its run was due: the slot plus the location's stagger. */
  dueMs: number;
  /** Reason of the last runner that gave the slot back; null: no runner did. */
  recordedReason: string | null;
  /** True when the operator had retired the location by the time the run was due. */
  isAtRetired?: boolean;
}

/** The properties of a check that decide which runners can run it. */
interface RunnerNeeds {
  type: string;
  /** True when the check refers to secrets of its team. */
  usesVault: boolean;
}

/**
 * Returns the recorded reason, else one that follows from the runners at the location when the run was due and until its result
 * had to be there.
 */
export function missingReason(
  slot: MissingSlot,
  { needs, presences, outages, runMsMax, nowMs }: MissingReasonInput,
): MissingReason {
  const { type } = needs;
  const recorded = MISSING_REASONS.find((reason) => reason === slot.recordedReason);
  if (recorded) return recorded;
  if (slot.isAtRetired) return "location_retired";
  const present = presencesIn(slot, presences, { fromMs: slot.dueMs, toMs: slot.dueMs });
  if (present.length === 0) return "no_runner";
  const capable = present.filter((presence) => presence.capabilities.includes(type));
  if (capable.length === 0) return "no_capable_runner";
  const able = capable.filter((presence) => canRun(presence, needs));
  if (able.length === 0) return "no_vault_runner";
  const endMs = Math.min(slot.dueMs + GRACE_MS + runMsMax, nowMs - LEASE_MS);
  if (able.some((presence) => wasLost(presence, { dueMs: slot.dueMs, endMs }))) return "runner_lost";
  if (wasHeldByLost(slot, { needs, presences })) return "runner_lost";
  return outages.some((outage) => wasUnheardOf(slot, outage)) ? "service_unavailable" : "unknown";
}

/** True when a replica read no change from about the slot's due instant until about the end of its grace. */
function wasUnheardOf({ dueMs }: MissingSlot, { fromMs, toMs }: TimeRange): boolean {
  return fromMs <= dueMs + HEARD_OF_WITHIN_MS && toMs >= dueMs + GRACE_MS - HEARD_OF_WITHIN_MS;
}

/**
 * True when a runner that could run the slot was gone within a lease before: the slot was still its own. Whoever takes over
 * catches up on such a slot, unless the check's schedule changes before.
 */
function wasHeldByLost(
  slot: MissingSlot,
  { needs, presences }: Pick<StillRunningInput, "needs" | "presences">,
): boolean {
  const toMs = slot.dueMs - 1;
  return presencesIn(slot, presences, { fromMs: slot.dueMs - LEASE_MS, toMs }).some(
    (presence) => presence.untilMs <= toMs && canRun(presence, needs),
  );
}

/** True when the runner's connection broke after the run was due: it was gone before the end, or connected anew until then. */
function wasLost({ untilMs, breaks }: Presence, { dueMs, endMs }: { dueMs: number; endMs: number }): boolean {
  if (untilMs < endMs) return true;
  // A search, not a scan: an agent that connects all the time has thousands of them.
  let [first, end] = [0, breaks.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if ((breaks[middle]?.[1] ?? 0) > dueMs) end = middle;
    else first = middle + 1;
  }
  return (breaks[first]?.[0] ?? Number.POSITIVE_INFINITY) <= endMs;
}

/** Facts that decide whether a slot may still be running. */
export interface StillRunningInput {
  needs: RunnerNeeds;
  presences: readonly Presence[];
  /** Longest that a run of the check may take. */
  runMsMax: number;
  nowMs: number;
}

/** Facts that decide why a slot has no result. */
export interface MissingReasonInput extends StillRunningInput {
  /** Times at which some replica could read no changes. */
  outages: readonly TimeRange[];
}

/**
 * True when a slot without a result may still be running: no runner gave it back, a runner that can run it was there
 * before the grace was over, and less than the longest run has passed since.
 */
export function mayStillRun(
  slot: MissingSlot,
  { needs, presences, runMsMax, nowMs }: StillRunningInput,
): boolean {
  if (slot.recordedReason !== null || slot.isAtRetired || slot.dueMs + GRACE_MS + runMsMax <= nowMs)
    return false;
  return presencesIn(slot, presences, { fromMs: slot.dueMs, toMs: slot.dueMs + GRACE_MS }).some((presence) =>
    canRun(presence, needs),
  );
}

function canRun({ capabilities }: Presence, { type, usesVault }: RunnerNeeds): boolean {
  return capabilities.includes(type) && (!usesVault || capabilities.includes(VAULT_CAPABILITY));
}

/** Returns the presences at the slot's location that touch the range, both ends included. */
function presencesIn(
  { locationKey }: MissingSlot,
  presences: readonly Presence[],
  { fromMs, toMs }: TimeRange,
): Presence[] {
  return presences.filter(
    (presence) =>
      presence.locationKey === locationKey && presence.fromMs <= toMs && presence.untilMs >= fromMs,
  );
}

/** Each reason as a sentence. */
export const REASON_DETAILS: Record<MissingReason, string> = {
  location_retired: "The location was retired and runs no checks any more; use another one.",
  no_runner: "No runner was connected at this location when it was due.",
  no_capable_runner: "The runners at this location can't run checks of this type.",
  no_vault_runner:
    "The check refers to secrets, and the agents at this location are of a version that can't open any; update them.",
  runner_capacity: "The runners at this location had no capacity to run it and time it honestly.",
  runner_crash: "The process that ran it ended unexpectedly.",
  runner_oom: "The process that ran it ran out of memory.",
  runner_network: "The runner's own network was not usable.",
  runner_lost:
    "The runner that was to run it lost its connection before a result came: it or its network failed, or the service was restarted.",
  previous_run: "The check's run before it was still open when it was due.",
  service_unavailable:
    "The service could not reach its database from when it was due until it was too late to run it, so that no runner heard of it.",
  unknown: "A runner was connected, and no result has arrived from it.",
};
