/** Ranges of time as people choose them and as an address carries them. Pure. All instants are Unix ms. */
import { instantOfWall, midnightMs } from "./zone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A range that ends now, or one between two instants. */
export type Range = { readonly lengthMs: number } | { readonly fromMs: number; readonly toMs: number };

/** The ranges that can be chosen by one press. */
export const RANGES = [
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["6h", "Last 6 hours"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
  ["90d", "Last 90 days"],
  ["395d", "Last 13 months"],
] as const;

/** Range of a page whose address names none. */
const DEFAULT_RANGE: Range = { lengthMs: DAY_MS };
const LENGTH_MAX_MS = 395 * DAY_MS;

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Returns the range of an address's query; the default one where it names none that makes sense. */
export function rangeOfSearch(search: URLSearchParams): Range {
  const from = Date.parse(search.get("from") ?? "");
  const to = Date.parse(search.get("to") ?? "");
  if (from < to && to - from <= LENGTH_MAX_MS) return { fromMs: from, toMs: to };
  return lengthOf(search.get("range") ?? "") ?? DEFAULT_RANGE;
}

/** Returns an address's query with the range in place of the one that it names; the default range is left out. */
export function searchWithRange(search: URLSearchParams, range: Range): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of ["range", "from", "to"]) next.delete(name);
  if ("fromMs" in range) {
    next.set("from", new Date(range.fromMs).toISOString());
    next.set("to", new Date(range.toMs).toISOString());
  } else if (range.lengthMs !== DAY_MS) next.set("range", lengthText(range.lengthMs));
  return next;
}

/** Returns the two instants of a range. */
export function instantsOf(range: Range, nowMs: number): { fromMs: number; toMs: number } {
  return "fromMs" in range ? range : { fromMs: nowMs - range.lengthMs, toMs: nowMs };
}

/** Returns a length of time in its largest whole unit: `24h`, `7d`. */
function lengthText(lengthMs: number): string {
  if (lengthMs % DAY_MS === 0 && lengthMs > DAY_MS) return `${lengthMs / DAY_MS}d`;
  return lengthMs % HOUR_MS === 0 ? `${lengthMs / HOUR_MS}h` : `${Math.round(lengthMs / MINUTE_MS)}m`;
}

/** Returns the name of a range, as buttons and headings show it. @param textOf shows an instant */
export function rangeName(range: Range, textOf: (ms: number) => string): string {
  if ("fromMs" in range) return `${textOf(range.fromMs)} to ${textOf(range.toMs)}`;
  const text = lengthText(range.lengthMs);
  return RANGES.find(([key]) => key === text)?.[1] ?? `Last ${text}`;
}

/**
 * Returns the range that a text names: `3h`, `last 2 days`, `today`, `yesterday`, or two instants with `to` between them, of
 * which the second may lack its date. Undefined when it names none.
 * @param zone days begin, and times without an offset are read, in this time zone
 */
export function parseRange(text: string, nowMs: number, zone: string): Range | undefined {
  const words = text.trim().toLowerCase();
  const todayMs = midnightMs(nowMs, zone);
  if (words === "today") return { fromMs: todayMs, toMs: nowMs };
  if (words === "yesterday") return { fromMs: midnightMs(todayMs - 1, zone), toMs: todayMs };
  const ends = words.split(/\s+to\s+/);
  if (ends.length === 2) return between(ends[0] as string, ends[1] as string, zone);
  return lengthOf(words.replace(/^last\s+/, ""));
}

function between(first: string, second: string, zone: string): Range | undefined {
  const fromMs = instantOf(first, zone);
  const toMs = instantOf(/^\d{1,2}:\d\d/.test(second) ? `${first.slice(0, 10)} ${second}` : second, zone);
  return fromMs < toMs && toMs - fromMs <= LENGTH_MAX_MS ? { fromMs, toMs } : undefined;
}

/** Returns the instant of a text; NaN when it is none. */
function instantOf(text: string, zone: string): number {
  const [, date, time = "00:00", seconds = ""] =
    /^(\d{4}-\d\d-\d\d)(?:[ t](\d\d?:\d\d)(:\d\d)?)?$/.exec(text) ?? [];
  if (date === undefined) return Date.parse(text.toUpperCase());
  return instantOfWall(Date.parse(`${date}T${time.padStart(5, "0")}${seconds}Z`), zone);
}

/** Returns the range of a length such as `24h`, `3 hours` or `2 d`. */
function lengthOf(text: string): Range | undefined {
  const [, count, unit] = /^(\d{1,5})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)$/.exec(text) ?? [];
  const lengthMs = Number(count) * (UNITS[unit?.[0] ?? ""] ?? Number.NaN);
  return lengthMs >= MINUTE_MS && lengthMs <= LENGTH_MAX_MS ? { lengthMs } : undefined;
}
