/** Hours of the week, by which baselines are kept. Pure. */

/** Hours of a week, which begins on Monday at 00:00 UTC. */
export const HOURS_OF_WEEK = 168;

const HOUR_MS = 3_600_000;
/** 1970-01-01 was a Thursday, and hour 0 of the week is Monday 00:00 UTC. */
const EPOCH_HOUR = 72;

/** Returns the hour of the week of an instant (Unix ms): 0-167, UTC, Monday first. */
export function hourOfWeek(atMs: number): number {
  return (Math.floor(atMs / HOUR_MS) + EPOCH_HOUR) % HOURS_OF_WEEK;
}
