/**
 * Occurrences of a recurring window. The rule is expanded on the zone's wall clock, so that "Sunday at 02:00" stays at 02:00
 * across daylight saving; each occurrence lasts as long as the first. Pure, and bounded in time: a rule is a user's.
 */
import { Script } from "node:vm";
import {
  DAY_MS,
  HOUR_MS,
  instantOf,
  recurrenceRuleBody,
  recurrenceRulePart,
  recurrenceRuleProblem,
  wallTimeOf,
} from "@svc/contract";
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
  const problem = recurrenceRuleProblem(text);
  if (problem !== undefined) throw new RecurrenceError(problem);
  const body = recurrenceRuleBody(text);
  const [frequency = "", interval, count] = ["FREQ", "INTERVAL", "COUNT"].map((part) =>
    recurrenceRulePart(body, part)?.toUpperCase(),
  );
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

/** Where a step of the rule always takes as long. */
const STEP_MS: Record<string, number> = { WEEKLY: 7 * DAY_MS, DAILY: DAY_MS, HOURLY: HOUR_MS };

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
