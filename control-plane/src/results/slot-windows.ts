/**
 * Windows of slots that are searched one after the other, each by a statement of its own that names the bounds as constants: a statement
 * that named none would plan and lock every partition there is.
 */
import { DAY_MS } from "@svc/contract";
import type { TimeRange } from "./coverage/time-range.ts";

/** Longest window, ms: 28 parts of days. */
export const WINDOW_MS_MAX = 7 * DAY_MS;
/** How many times as long as the one before each window is. */
const GROWTH = 8;

/** How far windows go, and how long those before them were. */
interface WindowsOptions {
  /** Length of what was searched before, ms. */
  searchedMs: number;
  /** Last instant to search, Unix ms. */
  endMs: number;
}

/** Returns the windows before an instant, newest first, until `endMs`. Both bounds of each belong to it. */
export function* windowsBefore(
  beforeMs: number,
  { searchedMs, endMs }: WindowsOptions,
): Generator<TimeRange> {
  let lengthMs = grown(searchedMs);
  for (let toMs = beforeMs - 1; toMs >= endMs; lengthMs = grown(lengthMs)) {
    const fromMs = Math.max(endMs, toMs - lengthMs + 1);
    yield { fromMs, toMs };
    toMs = fromMs - 1;
  }
}

/** Returns the windows after an instant, oldest first, until `endMs`. Both bounds of each belong to it. */
export function* windowsAfter(afterMs: number, { searchedMs, endMs }: WindowsOptions): Generator<TimeRange> {
  let lengthMs = grown(searchedMs);
  for (let fromMs = afterMs + 1; fromMs <= endMs; lengthMs = grown(lengthMs)) {
    const toMs = Math.min(endMs, fromMs + lengthMs - 1);
    yield { fromMs, toMs };
    fromMs = toMs + 1;
  }
}

function grown(lengthMs: number): number {
  return Math.min(WINDOW_MS_MAX, lengthMs * GROWTH);
}
