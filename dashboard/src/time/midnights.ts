/** The days of a range, for the axis of a picture. Pure. All instants are Unix ms. */
import { midnightMs } from "./zone.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Most days that are marked. */
const DAYS_MAX = 8;

/** A mark on an axis, at a share of its length from 0 to 1. */
export interface AxisMark {
  position: number;
  value: number;
}

/** Returns the midnights of a zone between two instants, some days apart when there are many. */
export function midnights(fromMs: number, toMs: number, zone: string): AxisMark[] {
  const every = Math.ceil((toMs - fromMs) / DAY_MS / DAYS_MAX);
  // Noon is within its day, however long the days before it were.
  const later = (atMs: number, days: number) => midnightMs(atMs + days * DAY_MS + DAY_MS / 2, zone);
  const marks: AxisMark[] = [];
  for (let atMs = later(midnightMs(fromMs, zone), 1); atMs < toMs; atMs = later(atMs, every))
    marks.push({ value: atMs, position: (atMs - fromMs) / (toMs - fromMs) });
  return marks;
}
