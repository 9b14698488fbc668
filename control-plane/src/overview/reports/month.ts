/** Calendar months in UTC, by their names such as "2026-10". Pure. */
import { DAY_MS } from "@svc/contract";
import type { TimeRange } from "../../results/coverage/time-range.ts";

/** Returns the month of an instant, Unix ms. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the first instant of a month and that of the next one, Unix ms. */
export function rangeOfMonth(month: string): TimeRange {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const begin = (months: number) => {
    // Date.UTC takes the years 0-99 for 1900-1999.
    const date = new Date(0);
    date.setUTCFullYear(year, number - 1 + months, 1);
    return date.getTime();
  };
  return { fromMs: begin(0), toMs: begin(1) };
}

/** Returns the first instants of the days of a month, Unix ms. */
export function daysOfMonth(month: string): number[] {
  const { fromMs, toMs } = rangeOfMonth(month);
  return Array.from({ length: (toMs - fromMs) / DAY_MS }, (_, day) => fromMs + day * DAY_MS);
}

/** Returns a day as people write it, such as "2026-10-31". */
export function dateOf(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}

/** Returns the bit that stands for a day in the counted days of its month. */
export function bitOfDay(dayMs: number): number {
  return 1 << (new Date(dayMs).getUTCDate() - 1);
}

/** Returns the number of days whose bits are set. */
export function countDays(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
