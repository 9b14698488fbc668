/** Tells how late a run began, from the schedules of its check. Pure. */
import { type CheckId, isSlot, phaseMs, type RunReason, staggerMs } from "@svc/contract";
import type { ScheduleInForce } from "./coverage/expected-slots.ts";

/** A run at one location. */
export interface BegunRun {
  locationKey: number;
  slotMs: number;
  startDelayMs: number;
  reason: RunReason;
}

/**
 * Returns by how much a run began after it was due, ms, at least 0; null when none of the schedules has its slot. A run off
 * the schedule was due at its slot; another one a stagger later, under the schedule that was in force then.
 */
export function lateMs(
  checkId: CheckId,
  run: BegunRun,
  schedules: readonly ScheduleInForce[],
): number | null {
  if (run.reason !== "scheduled") return Math.max(0, run.startDelayMs);
  for (const schedule of schedules) {
    const { frequencySeconds, locationKeys, effectiveFromMs, effectiveUntilMs } = schedule;
    const index = locationKeys.indexOf(run.locationKey);
    const periodMs = frequencySeconds * 1000;
    if (index < 0 || !isSlot(run.slotMs, periodMs, phaseMs(checkId, frequencySeconds))) continue;
    const stagger = staggerMs(index, locationKeys.length, periodMs);
    const dueMs = run.slotMs + stagger;
    if (dueMs >= effectiveFromMs && dueMs < (effectiveUntilMs ?? Number.POSITIVE_INFINITY))
      return Math.max(0, run.startDelayMs - stagger);
  }
  return null;
}
