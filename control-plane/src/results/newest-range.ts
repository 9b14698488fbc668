/**
 * The slots among which newest results are looked for. Statements name them as constants: how far back the newest result of a check
 * may lie follows from its period, which the planner doesn't know, so that it would look at every partition there is.
 */
import { DAY_MS, HEALTH_RESULTS_MAX, SECOND_MS, type WholeMs, wholeMs } from "@svc/contract";
import { newestToMs } from "../platform/db/slot-bindings.ts";

/** Bindings of a statement with {@link newestResults}, Unix ms. */
export interface NewestRange {
  newestFromMs: WholeMs;
  newestToMs: WholeMs;
  /** First instant for checks whose results say longer than a day how they stand; null: there are none. */
  rareFromMs: WholeMs | null;
}

/** Longest period whose results say no longer than a day how a check stands, in seconds. */
const FREQUENT_SECONDS_MAX = DAY_MS / (HEALTH_RESULTS_MAX * SECOND_MS);

/** Returns for how long the newest results of a check say how it stands, in ms, as an expression over its period's column. */
export function healthMsSql(frequencySeconds: string): string {
  return `greatest(${DAY_MS}, ${frequencySeconds} * ${SECOND_MS * HEALTH_RESULTS_MAX}::bigint)`;
}

/**
 * Returns the range in which the newest results of checks lie that say how these stand.
 * @param longestSeconds the longest of their periods
 */
export function newestRangeOf(longestSeconds: number, nowMs: number): NewestRange {
  return {
    newestFromMs: wholeMs(nowMs - DAY_MS),
    newestToMs: newestToMs(nowMs),
    rareFromMs:
      longestSeconds > FREQUENT_SECONDS_MAX
        ? wholeMs(nowMs - longestSeconds * SECOND_MS * HEALTH_RESULTS_MAX)
        : null,
  };
}

/** Which newest results of a row before the subquery are read; the expressions are written as {@link perRow} takes them. */
interface NewestResults {
  /** Columns of results, `slot_ms` among them. */
  columns: string;
  checkKey: string;
  locationKey: string;
  /** Period of the check. */
  frequencySeconds: string;
  /** Most results; default: 1. */
  limit?: string;
}

/**
 * Returns a SELECT for a subquery of `perRow` that reads the newest results of a check location in the range, newest first. Only for a
 * check that runs rarely does it look back further than a day, so that one of these does not make each silent location of the others
 * look into the partitions of weeks. A check's own, narrower range is applied to what it returns: within, it would hide from the planner
 * that most rows are in the range, and that they need no sort.
 */
export function newestResults(
  { rareFromMs }: NewestRange,
  { columns, checkKey, locationKey, frequencySeconds, limit = "1" }: NewestResults,
): string {
  const end = `ORDER BY slot_ms DESC LIMIT ${limit}`;
  const ofLocation = `SELECT ${columns} FROM results WHERE check_key = {${checkKey}} AND location_key = {${locationKey}}`;
  const ofDay = `${ofLocation} AND slot_ms BETWEEN {:newestFromMs} AND {:newestToMs} ${end}`;
  if (rareFromMs === null) return ofDay;
  return `SELECT ${columns} FROM ((${ofDay}) UNION ALL
    (${ofLocation} AND slot_ms >= {:rareFromMs} AND slot_ms < {:newestFromMs} AND {${frequencySeconds}} > ${FREQUENT_SECONDS_MAX} ${end})) newest ${end}`;
}
