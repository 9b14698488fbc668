/**
 * Expands the occurrences of a recurring window. The rule is expanded on the zone's wall clock, so that "Sunday at
 * 02:00" stays at 02:00 across daylight saving; each occurrence lasts as long as the first one. Pure, and bounded in
 * time, because users write the rules. Why rrule does this: docs/decisions/0012-recurrence-by-rrule.md.
 */
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
import { WorkCutOff, withinTime } from "../../platform/threads/thread-job.ts";

const { RRule } = rrule;

/** A first occurrence and the rule by which it repeats. Unix ms. */
export interface Recurrence {
  /** The first occurrence. */
  startsAtMs: number;
  durationMs: number;
  /** RRULE text; null: it occurs once. */
  rule: string | null;
  timezone: string;
}

/** One occurrence of a window, half-open, Unix ms. */
export interface Occurrence {
  startsAtMs: number;
  endsAtMs: number;
}

/** The rule can't be used; the message says why. */
export class RecurrenceError extends Error {}

/** Largest number of occurrences in the range that is expanded at once: nobody maintains anything more often. */
const OCCURRENCES_MAX = 1_000;
/** Longest expansion: a rule that matches nothing (30 February) would be searched for thousands of years. */
const EXPANSION_MS_MAX = 500;

/**
 * Returns the occurrences that end after `fromMs` and start before `untilMs`, in order; when there are none, the first one
 * after that range.
 * @throws RecurrenceError when the rule is not valid, occurs too often, or takes too long to expand
 */
export function occurrencesBetween(recurrence: Recurrence, fromMs: number, untilMs: number): Occurrence[] {
  const { startsAtMs, durationMs, rule, timezone } = recurrence;
  const at = (ms: number): Occurrence => ({ startsAtMs: ms, endsAtMs: ms + durationMs });
  if (rule === null) return startsAtMs + durationMs > fromMs ? [at(startsAtMs)] : [];
  const range = { fromMs: fromMs - durationMs, untilMs };
  const parsed = parseRule(rule, { startsAtMs, timezone, fromMs: range.fromMs });
  const starts = withinRuleTime(() => expand(parsed, timezone, range));
  return starts.map(at);
}

/** Returns starts after `fromMs` and before `untilMs`, or the first one after that range. Unix ms. */
function expand(
  rule: InstanceType<typeof RRule>,
  timezone: string,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): number[] {
  const starts: number[] = [];
  const addStart = (date: Date): boolean => {
    const startsAtMs = instantOf(date.getTime(), timezone);
    if (startsAtMs <= fromMs) return true;
    if (startsAtMs >= untilMs && starts.length > 0) return false;
    // Two wall times that are one instant, because the clocks skip the second one, are one occurrence.
    if (starts.at(-1) !== startsAtMs) starts.push(startsAtMs);
    if (starts.length > OCCURRENCES_MAX)
      throw new RecurrenceError(`occurs more than ${OCCURRENCES_MAX} times within the next weeks`);
    return startsAtMs < untilMs;
  };
  // One day more on each side: wall times are compared here, and they may lie further apart than their instants.
  const from = new Date(wallTimeOf(fromMs, timezone) - DAY_MS);
  const to = new Date(wallTimeOf(untilMs, timezone) + DAY_MS);
  rule.between(from, to, true, addStart);
  if (starts.length > 0) return starts;
  const next = rule.after(to, false);
  if (next) addStart(next);
  return starts;
}

/**
 * Parses a rule on the zone's wall clock.
 * Occurrences before `fromMs` are not wanted.
 * @throws RecurrenceError when the rule is not valid
 */
function parseRule(
  text: string,
  { startsAtMs, timezone, fromMs }: { startsAtMs: number; timezone: string; fromMs: number },
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
          ? nearStart(wallStartMs, wallFromMs, stepMsOf(frequency, Number(interval ?? 1)))
          : wallStartMs,
      ),
      ...(until ? { until: isAbsolute ? new Date(wallTimeOf(until.getTime(), timezone)) : until } : {}),
    });
  } catch (cause) {
    const reason = cause instanceof TypeError ? "a value is not of its property" : (cause as Error).message;
    throw new RecurrenceError(`not a valid RRULE: ${reason}`, { cause });
  }
}

/** Lengths of a rule's steps, for frequencies whose steps are all of one length. */
const STEP_MS: Record<string, number> = { WEEKLY: 7 * DAY_MS, DAILY: DAY_MS, HOURLY: HOUR_MS };

/** Returns the length of a rule's steps; infinite when they differ in length. */
function stepMsOf(frequency: string, interval: number): number {
  return (STEP_MS[frequency] ?? Number.POSITIVE_INFINITY) * interval;
}

/**
 * Returns a later start from which the rule goes on as from its own, close to the wanted range: the library counts
 * every step from the start on, which after years of an hourly window takes longer than a rule may.
 */
function nearStart(wallStartMs: number, wallFromMs: number, stepMs: number): number {
  // One step less: other parts of the rule may lie before the step's own instant.
  const steps = Math.floor((wallFromMs - wallStartMs) / stepMs) - 1;
  return steps > 0 ? wallStartMs + steps * stepMs : wallStartMs;
}

/**
 * Runs work that may never end, for as long as a rule may take.
 * @throws RecurrenceError when the time was up
 */
function withinRuleTime<T>(work: () => T): T {
  try {
    return withinTime(EXPANSION_MS_MAX, work);
  } catch (error) {
    if (error instanceof WorkCutOff)
      throw new RecurrenceError("takes too long to work out: does it ever occur?", { cause: error });
    throw error;
  }
}
