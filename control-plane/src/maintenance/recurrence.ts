/**
 * Occurrences of a recurring window. The rule is expanded on the zone's wall clock, so that "Sunday at 02:00" stays at 02:00
 * across daylight saving; each occurrence lasts as long as the first. Pure, and bounded in time: a rule is a user's.
 */
import { Script } from "node:vm";
import { instantOf, wallTimeOf } from "@svc/contract";
import rrule from "rrule";

const { RRule } = rrule;

/** What occurs when. Unix ms. */
export interface Recurrence {
  /** The first occurrence. */
  startsAtMs: number;
  durationMs: number;
  /** RRULE text; null: it occurs once. */
  rule: string | null;
  timezone: string;
}

export interface Occurrence {
  startsAtMs: number;
  endsAtMs: number;
}

/** A rule that can't be used; the message says why. */
export class RecurrenceError extends Error {}

/** More often than this many times in the range that is expanded at once, nobody maintains anything. */
const OCCURRENCES_MAX = 1_000;
/** Rules that match nothing (30 February) would be searched for thousands of years. */
const EXPANSION_MS_MAX = 500;
const DAY_MS = 86_400_000;
const FREQUENCIES = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"];

/**
 * The occurrences that end after `fromMs` and start before `untilMs`, and the first one after that range when there is none
 * in it; in order.
 * @throws RecurrenceError when the rule is not valid, occurs too often, or takes too long to work out
 */
export function occurrencesBetween(recurrence: Recurrence, fromMs: number, untilMs: number): Occurrence[] {
  const { startsAtMs, durationMs, rule, timezone } = recurrence;
  const at = (ms: number): Occurrence => ({ startsAtMs: ms, endsAtMs: ms + durationMs });
  if (rule === null) return startsAtMs + durationMs > fromMs ? [at(startsAtMs)] : [];
  const parsed = parseRule(rule, startsAtMs, timezone, fromMs - durationMs);
  const starts = withinTime(() => expand(parsed, timezone, fromMs - durationMs, untilMs));
  return starts.map(at);
}

/** Starts after `fromMs`, exclusive, up to `untilMs`, exclusive; or the first one after that. Unix ms. */
function expand(
  rule: InstanceType<typeof RRule>,
  timezone: string,
  fromMs: number,
  untilMs: number,
): number[] {
  const starts: number[] = [];
  const take = (date: Date): boolean => {
    const startsAtMs = instantOf(date.getTime(), timezone);
    if (startsAtMs <= fromMs) return true;
    if (startsAtMs >= untilMs && starts.length > 0) return false;
    // Two wall times that are one instant (the second one is skipped by the clocks) are one occurrence.
    if (starts.at(-1) !== startsAtMs) starts.push(startsAtMs);
    if (starts.length > OCCURRENCES_MAX)
      throw new RecurrenceError(`occurs more than ${OCCURRENCES_MAX} times within the next weeks`);
    return startsAtMs < untilMs;
  };
  // A day more on each side: wall times are compared here, and they may lie further apart than their instants.
  const from = new Date(wallTimeOf(fromMs, timezone) - DAY_MS);
  const to = new Date(wallTimeOf(untilMs, timezone) + DAY_MS);
  rule.between(from, to, true, take);
  if (starts.length > 0) return starts;
  const next = rule.after(to, false);
  if (next) take(next);
  return starts;
}

/** @param fromMs earlier occurrences are not asked for   @throws RecurrenceError */
function parseRule(
  text: string,
  startsAtMs: number,
  timezone: string,
  fromMs: number,
): InstanceType<typeof RRule> {
  const body = text.trim().replace(/^RRULE:/i, "");
  if (/[\r\n]/.test(body)) throw new RecurrenceError("only one RRULE line is taken");
  if (/DTSTART|TZID|EXDATE|RDATE|EXRULE/i.test(body))
    throw new RecurrenceError("takes no DTSTART, TZID or exceptions: startsAt and timezone say them");
  const frequency = /(?:^|;)FREQ=([A-Z]+)/i.exec(body)?.[1]?.toUpperCase();
  if (frequency === undefined || !FREQUENCIES.includes(frequency))
    throw new RecurrenceError(`FREQ is one of ${FREQUENCIES.join(", ")}`);
  const interval = /(?:^|;)INTERVAL=([^;]*)/i.exec(body)?.[1];
  if (interval !== undefined && !/^[1-9]\d{0,3}$/.test(interval))
    throw new RecurrenceError("INTERVAL is a whole number from 1 to 9999");
  const count = /(?:^|;)COUNT=([^;]*)/i.exec(body)?.[1];
  if (count !== undefined && !/^[1-9]\d{0,5}$/.test(count))
    throw new RecurrenceError("COUNT is a whole number from 1 to 999999");
  for (const [part, { min, max }] of Object.entries(PART_RANGES)) assertInRange(body, part, min, max);
  const wallStartMs = wallTimeOf(startsAtMs, timezone);
  const wallFromMs = wallTimeOf(fromMs, timezone) - DAY_MS;
  try {
    const { until, ...options } = RRule.parseString(body);
    const isAbsolute = /(?:^|;)UNTIL=\d{8}T\d{6}Z/i.test(body);
    return new RRule({
      ...options,
      dtstart: new Date(
        count === undefined
          ? nearStart(wallStartMs, wallFromMs, frequency, Number(interval ?? 1))
          : wallStartMs,
      ),
      ...(until ? { until: isAbsolute ? new Date(wallTimeOf(until.getTime(), timezone)) : until } : {}),
    });
  } catch (cause) {
    const reason = cause instanceof TypeError ? "a value is not of its property" : (cause as Error).message;
    throw new RecurrenceError(`not a valid RRULE: ${reason}`, { cause });
  }
}

/** RFC 5545's limits; the library takes 99 o'clock for another day's. */
const PART_RANGES: Record<string, { min: number; max: number }> = {
  BYSECOND: { min: 0, max: 59 },
  BYMINUTE: { min: 0, max: 59 },
  BYHOUR: { min: 0, max: 23 },
  BYMONTH: { min: 1, max: 12 },
};

/** @throws RecurrenceError */
function assertInRange(body: string, part: string, min: number, max: number): void {
  const list = new RegExp(`(?:^|;)${part}=([^;]*)`, "i").exec(body)?.[1];
  if (list === undefined) return;
  const isFine = list.split(",").every((text) => /^\d{1,2}$/.test(text) && +text >= min && +text <= max);
  if (!isFine) throw new RecurrenceError(`${part} takes whole numbers from ${min} to ${max}`);
}

/** Where a step of the rule always takes as long. */
const STEP_MS: Record<string, number> = { WEEKLY: 7 * DAY_MS, DAILY: DAY_MS, HOURLY: 3_600_000 };

/**
 * A start by which the rule goes on as by its own, as late as it may be: the library counts every step from the start on, which
 * after years of an hourly window takes longer than a rule may.
 */
function nearStart(wallStartMs: number, wallFromMs: number, frequency: string, interval: number): number {
  const stepMs = (STEP_MS[frequency] ?? Number.POSITIVE_INFINITY) * interval;
  // One step less: what else the rule says may lie before the step's own instant.
  const steps = Math.floor((wallFromMs - wallStartMs) / stepMs) - 1;
  return steps > 0 ? wallStartMs + steps * stepMs : wallStartMs;
}

const script = new Script("work()");

/** Runs work that may never end: the engine cuts it off. @throws RecurrenceError when it was */
function withinTime<T>(work: () => T): T {
  try {
    return script.runInNewContext({ work }, { timeout: EXPANSION_MS_MAX });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new RecurrenceError("takes too long to work out: does it ever occur?", { cause: error });
    throw error;
  }
}
