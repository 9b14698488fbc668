/** Cron expressions of five fields (minute, hour, day of the month, month, day of the week) on the clock of a time zone. */
import { Cron as CronPattern } from "croner";

/** An expression and the IANA name of the zone on whose clock it stands. */
export interface Cron {
  readonly expression: string;
  readonly timezone: string;
}

/** Longest expression, in characters: each minute of an hour as a list has fewer. */
export const CRON_CHARACTERS_MAX = 200;

const FIELD_COUNT = 5;

function patternOf({ expression, timezone }: Cron): CronPattern {
  return new CronPattern(expression, { mode: "5-part", paused: true, timezone });
}

/** Returns why the expression or its zone can't be used, as a clause; undefined: they can. */
export function cronProblem(cron: Cron): string | undefined {
  // The library also reads names such as @daily, and six fields.
  const count = cron.expression.trim().split(/\s+/).length;
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
