/**
 * Cron expressions of five fields (minute, hour, day of the month, month, day of the week), or names such as `@daily` that
 * stand for them, on the clock of a time zone.
 */
import { Cron as CronPattern } from "croner";

/** An expression and the IANA name of the zone on whose clock it stands. */
export interface Cron {
  readonly expression: string;
  readonly timezone: string;
}

/** Longest expression, in characters: each minute of an hour as a list has fewer. */
export const CRON_CHARACTERS_MAX = 200;

const FIELD_COUNT = 5;

/** The names of cron(8), each with its five fields. `@reboot` is none of them: it names no time. */
const NAMED_EXPRESSIONS: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

/** Returns the five fields that a name stands for; any other expression as it is. */
function fieldsOf(expression: string): string {
  return NAMED_EXPRESSIONS.get(expression.trim().toLowerCase()) ?? expression;
}

function patternOf({ expression, timezone }: Cron): CronPattern {
  return new CronPattern(fieldsOf(expression), { mode: "5-part", paused: true, timezone });
}

/** Returns why the expression or its zone can't be used, as a clause; undefined: they can. */
export function cronProblem(cron: Cron): string | undefined {
  const written = fieldsOf(cron.expression).trim();
  if (written.startsWith("@")) return `the names are ${[...NAMED_EXPRESSIONS.keys()].join(", ")}`;
  // The library also reads six fields, and a date.
  const count = written.split(/\s+/).length;
  if (count !== FIELD_COUNT) return `it has ${count}`;
  try {
    return patternOf(cron).nextRun(new Date(Date.UTC(2024, 0, 1))) === null ? "it never occurs" : undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Cron\w*: /, "");
  }
}

/**
 * Returns the first occurrence after an instant; undefined when there is none. An occurrence at a wall time that the clocks
 * skip happens right after the gap. Both are Unix ms.
 */
export function nextOccurrence(cron: Cron, afterMs: number): number | undefined {
  return patternOf(cron).nextRun(new Date(afterMs))?.getTime();
}
