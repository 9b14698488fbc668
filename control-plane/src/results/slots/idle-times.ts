/** Tells when a check had no slots, and why. Pure. All instants are Unix ms. */
import type { ScheduleInForce } from "../coverage/expected-slots.ts";
import type { TimeRange } from "../coverage/time-range.ts";

/** A time without slots. */
export interface IdleTime extends TimeRange {
  reason: "not_yet" | "disabled" | "maintenance";
}

/** A check's creation, schedules and pauses in a range of time. */
export interface ScheduleFacts {
  createdAtMs: number;
  /** Oldest first. */
  schedules: readonly ScheduleInForce[];
  /** Times in which a maintenance window stopped the check, oldest first. */
  pauses: readonly TimeRange[];
}

/** Returns the times of the range without slots, oldest first. */
export function idleTimes(
  { fromMs, toMs }: TimeRange,
  { createdAtMs, schedules, pauses }: ScheduleFacts,
): IdleTime[] {
  const idle: IdleTime[] = [];
  const add = (from: number, to: number, reason: IdleTime["reason"]) => {
    if (to > from) idle.push({ fromMs: from, toMs: to, reason });
  };
  add(fromMs, Math.min(createdAtMs, toMs), "not_yet");
  for (const { enabled, effectiveFromMs, effectiveUntilMs } of schedules) {
    if (enabled) continue;
    let atMs = Math.max(fromMs, effectiveFromMs);
    const untilMs = Math.min(toMs, effectiveUntilMs ?? toMs);
    for (const pause of pauses) {
      if (pause.toMs <= atMs || pause.fromMs >= untilMs) continue;
      add(atMs, pause.fromMs, "disabled");
      const endMs = Math.min(pause.toMs, untilMs);
      add(Math.max(atMs, pause.fromMs), endMs, "maintenance");
      atMs = endMs;
    }
    add(atMs, untilMs, "disabled");
  }
  return idle;
}
