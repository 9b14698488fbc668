/** Pushed check types: nothing is probed; what is watched reports by itself, and a report that does not come is a failure. */
import { type Cron, nextOccurrence } from "../base/cron.ts";
import { FREQUENCY_SECONDS_MAX, FREQUENCY_SECONDS_MIN } from "../base/slot-grid.ts";

/** The one location of pushed checks: the service itself, where the reports arrive. No runner serves it. */
export const PUSH_LOCATION_ID = "loc_push";

/** When the next report of a pushed check is expected, and how long after that it is overdue. */
export type Expectation = (
  | {
      /** Seconds from one report to the next. */
      readonly periodSeconds: number;
    }
  | { readonly cron: Cron }
) & {
  /** Seconds after the expected instant at which the report is overdue. */
  readonly graceSeconds: number;
};

/** The traits of a pushed check type. */
export interface PushedTraits {
  /** Returns when reports are expected. @param config valid by the type's schema, with defaults filled in */
  expectationOf(config: Readonly<Record<string, unknown>>): Expectation;
}

/** Where an expression occurs no more, the next report is expected after this many ms: 100 years. */
const NEVER_MS = 100 * 366 * 86_400_000;

/** Returns the first instant after `afterMs` at which a report is expected. Pure; all instants are Unix ms. */
export function nextExpected(expectation: Expectation, afterMs: number): number {
  if ("periodSeconds" in expectation) return afterMs + expectation.periodSeconds * 1000;
  return nextOccurrence(expectation.cron, afterMs) ?? afterMs + NEVER_MS;
}

/** A Monday from which the distance of occurrences is measured, so that it depends on the expression alone. */
const MEASURED_FROM_MS = Date.UTC(2024, 0, 1);
const OCCURRENCES_MEASURED = 4;

/**
 * Returns the frequency that a pushed check shows: its period, or the smallest distance of the first occurrences of its
 * expression in 2024; never outside the range of frequencies, so a day for all that is longer. Pure.
 */
export function frequencySecondsOf(expectation: Expectation): number {
  const seconds =
    "periodSeconds" in expectation ? expectation.periodSeconds : smallestDistanceSeconds(expectation.cron);
  return Math.min(FREQUENCY_SECONDS_MAX, Math.max(FREQUENCY_SECONDS_MIN, seconds));
}

function smallestDistanceSeconds(cron: Cron): number {
  let smallest = FREQUENCY_SECONDS_MAX;
  let beforeMs: number | undefined;
  let afterMs: number | undefined = MEASURED_FROM_MS;
  for (let count = 0; count < OCCURRENCES_MEASURED && afterMs !== undefined; count++) {
    afterMs = nextOccurrence(cron, afterMs);
    if (afterMs !== undefined && beforeMs !== undefined)
      smallest = Math.min(smallest, (afterMs - beforeMs) / 1000);
    beforeMs = afterMs;
  }
  return smallest;
}
