/** Instants and durations as people read them. */

const INSTANT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const NUMBER = new Intl.NumberFormat();

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns an instant with date and time to the second, in the reader's zone. @param at ISO 8601 */
export function instantText(at: string): string {
  return INSTANT.format(new Date(at));
}

/** Returns the time of day to the second, in the reader's zone. @param atMs Unix ms */
export function timeText(atMs: number): string {
  return TIME.format(atMs);
}

/** Returns a day without its year, in the reader's zone. @param atMs Unix ms */
export function dayText(atMs: number): string {
  return DAY.format(atMs);
}

/** Returns a duration in its two largest units: `3 d 4 h`, `12 s`. @param ms not negative */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  const units = [
    ["d", DAY_MS],
    ["h", HOUR_MS],
    ["min", MINUTE_MS],
    ["s", SECOND_MS],
  ] as const;
  const first = units.findIndex(([, unitMs]) => ms >= unitMs);
  const largest = units[first] as (typeof units)[number];
  const next = units[first + 1];
  const count = Math.floor(ms / largest[1]);
  const rest = next ? Math.floor((ms % largest[1]) / next[1]) : 0;
  return next && rest > 0 ? `${count} ${largest[0]} ${rest} ${next[0]}` : `${count} ${largest[0]}`;
}

/** Returns a share as percent with two decimals, rounded down so that 100 % means all. @param share from 0 to 1 */
export function percentText(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

/** Returns a number in the reader's writing. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}
