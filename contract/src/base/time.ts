/**
 * Lengths of time in milliseconds, so that a limit reads `7 * DAY_MS`. A day has 24 hours: for calendar days see
 * zone.ts.
 */

/** One second in ms. */
export const SECOND_MS = 1_000;
/** One minute in ms. */
export const MINUTE_MS = 60 * SECOND_MS;
/** One hour in ms. */
export const HOUR_MS = 60 * MINUTE_MS;
/** 24 hours in ms. */
export const DAY_MS = 24 * HOUR_MS;

declare const whole: unique symbol;

/**
 * Milliseconds, or a Unix instant in them, without a fraction: the only form that PostgreSQL takes as a bigint. SQL takes
 * bindings whose names end in `Ms` in this type alone (`queryRows` of the control plane), so that no quotient gets there.
 */
export type WholeMs = number & { readonly [whole]: true };

/**
 * Rounds to whole milliseconds.
 * @throws RangeError when the number is no finite one
 */
export function wholeMs(ms: number): WholeMs {
  const rounded = Math.round(ms);
  if (!Number.isSafeInteger(rounded)) throw new RangeError(`${ms} is no number of milliseconds`);
  return rounded as WholeMs;
}
