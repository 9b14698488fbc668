/** Conversion between instants and wall time in a time zone, by the runtime's own zone data. Pure. */
import { DAY_MS } from "./time.ts";

/** Zones whose formats are kept. There are about 600, each of which may be written in upper and lower case. */
const FORMATS_MAX = 1_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * Returns the wall time of an instant as Unix ms, read as if it were UTC: 14:00 in Berlin becomes 14:00Z.
 * @param instantMs Unix ms
 * @param timezone IANA name
 */
export function wallTimeOf(instantMs: number, timezone: string): number {
  return instantMs + offsetAt(instantMs, timezone);
}

/**
 * Returns the instant of a wall time, which is given as if it were UTC. Of a wall time that happens twice, when clocks go
 * back, the first instant; of one that is skipped, when clocks go forward, the instant as long after the change as the wall
 * time is (RFC 5545, section 3.3.5).
 */
export function instantOf(wallMs: number, timezone: string): number {
  const before = offsetAt(wallMs - DAY_MS, timezone);
  const after = offsetAt(wallMs + DAY_MS, timezone);
  // The offset of the day before comes first: it gives the earlier of two instants, and the instant of a skipped time.
  for (const offset of [before, after])
    if (offsetAt(wallMs - offset, timezone) === offset) return wallMs - offset;
  return wallMs - before;
}

const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/;

/** Returns the instant of an ISO 8601 text, NaN for another text. A text without an offset is wall time in the zone. */
export function parseInstant(text: string, timezone: string): number {
  if (HAS_OFFSET.test(text)) return Date.parse(text);
  const wallMs = Date.parse(`${text}Z`);
  return Number.isNaN(wallMs) ? Number.NaN : instantOf(wallMs, timezone);
}

/** Returns by how many ms the zone's clocks are ahead of UTC at an instant. */
function offsetAt(instantMs: number, timezone: string): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    const oldest = formats.keys().next().value;
    if (formats.size >= FORMATS_MAX && oldest !== undefined) formats.delete(oldest);
    formats.set(timezone, format);
  }
  const parts: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const wallSecondMs = Date.UTC(year, month - 1, day, hour, minute, second);
  return wallSecondMs - Math.floor(instantMs / 1000) * 1000;
}
