/** Instants and durations as people read them. */

import { timeZone } from "../preferences/preferences.ts";

/** The ways to write an instant. */
const STYLES = {
  instant: { dateStyle: "medium", timeStyle: "medium" },
  minute: { dateStyle: "medium", timeStyle: "short" },
  short: { dateStyle: "short", timeStyle: "medium" },
  time: { timeStyle: "medium" },
  clock: { hour: "2-digit", minute: "2-digit" },
  day: { month: "short", day: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;
const WALL_TIME = {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "shortOffset",
} as const;
const NUMBER = new Intl.NumberFormat();

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Formats by style and zone: to make one takes longer than to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(style: keyof typeof STYLES, at: number | Date): string {
  const zone = timeZone();
  const key = `${style} ${zone}`;
  const made = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...STYLES[style], timeZone: zone });
  formats.set(key, made);
  return made.format(at);
}

/** Returns an instant with date and time to the second, in the reader's zone. @param at ISO 8601 */
export function instantText(at: string): string {
  return format("instant", new Date(at));
}

/** Returns an instant with date and time to the minute, in the reader's zone. @param atMs Unix ms */
export function minuteText(atMs: number): string {
  return format("minute", atMs);
}

/** Returns an instant with a date in digits and time to the second, in the reader's zone. @param atMs Unix ms */
export function shortInstantText(atMs: number): string {
  return format("short", atMs);
}

/** Returns the time of day to the second, in the reader's zone. @param atMs Unix ms */
export function timeText(atMs: number): string {
  return format("time", atMs);
}

/** Returns the time of day to the minute, in the reader's zone. @param atMs Unix ms */
export function clockText(atMs: number): string {
  return format("clock", atMs);
}

/** Returns a day without its year, in the reader's zone. @param atMs Unix ms */
export function dayText(atMs: number): string {
  return format("day", atMs);
}

/**
 * Returns an instant as the clock on the wall shows it in a zone, with its offset from UTC. Where the browser does not know the
 * zone, in the reader's own.
 * @param at ISO 8601
 */
export function wallTimeText(at: string, zone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { ...WALL_TIME, timeZone: zone }).format(new Date(at));
  } catch {
    return instantText(at);
  }
}

/**
 * Returns an instant as a field for date and time has it, `2026-11-21T22:00`, on the clock of a zone; with seconds, or in a zone that
 * the browser does not know, as it is.
 * @param at ISO 8601
 */
export function wallInputText(at: string, zone: string): string {
  if (Date.parse(at) % MINUTE_MS !== 0) return at;
  try {
    // Swedish writes dates as ISO 8601 does.
    const text = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "short",
    }).format(new Date(at));
    return text.replace(" ", "T");
  } catch {
    return at;
  }
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

/** Returns a number with what it counts: `1 check`, `1,000 checks`. */
export function countText(count: number, thing: string): string {
  return `${numberText(count)} ${thing}${count === 1 ? "" : "s"}`;
}
