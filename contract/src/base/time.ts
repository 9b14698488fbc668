/** Lengths of time in milliseconds, so that a limit reads `7 * DAY_MS`. A day has 24 hours: for calendar days see zone.ts. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
