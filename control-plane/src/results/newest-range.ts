/**
 * The slots among which newest results are looked for. Statements name them as constants: how far back the newest result of a check
 * may lie follows from its period, which the planner doesn't know, so that it would look at every partition there is.
 */
import { DAY_MS, HEALTH_RESULTS_MAX, HOUR_MS, type WholeMs, wholeMs } from "@svc/contract";

/** Bindings of {@link IN_NEWEST_RANGE}, Unix ms. */
export interface NewestRange {
  newestFromMs: WholeMs;
  newestToMs: WholeMs;
}

/**
 * Restricts slots to the range, in a subquery of `perRow` that reads the newest results of one check location. A check's own, narrower
 * range is applied to what it returns: within, it would hide from the planner that most rows are in the range, and that they need no sort.
 */
export const IN_NEWEST_RANGE = "slot_ms BETWEEN {:newestFromMs} AND {:newestToMs}";

/**
 * Returns the range in which the newest results of checks lie that say how these stand.
 * @param longestSeconds the longest of their periods
 */
export function newestRangeOf(longestSeconds: number, nowMs: number): NewestRange {
  return {
    newestFromMs: wholeMs(nowMs - Math.max(DAY_MS, longestSeconds * 1_000 * HEALTH_RESULTS_MAX)),
    newestToMs: newestToMs(nowMs),
  };
}

/** Returns an instant that no result's slot lies behind: ingest refuses those that are further ahead of its clock than a minute. */
export function newestToMs(nowMs: number): WholeMs {
  return wholeMs(nowMs + HOUR_MS);
}
