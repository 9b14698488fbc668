/** Writes the metrics of a team's checks. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CHECK_METRICS_MAX, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamSeats } from "../../platform/http/team-seats.ts";
import { type LabelledResult, metricsText, withLabels } from "./exposition.ts";
import { listRunningCheckKeys, type NewestResultRow, readNewestResults } from "./store.ts";

/** Checks whose results are read by one statement: it takes some tens of milliseconds. */
const CHECKS_PER_READ = 500;
/** Results whose labels are made without a pause. */
const RESULTS_PER_TURN = 500;

/** Whose metrics are written, and how they are read. */
export interface WriteMetricsInput {
  teamId: TeamId;
  /** Only checks with this label. */
  label?: string | undefined;
  nowMs: number;
  /** Seats that reads have to acquire; undefined where requests have none. */
  seats: TeamSeats | undefined;
}

/**
 * Yields the text in pieces. All results are read before the first of them, since the format wants it metric by metric.
 * @throws DomainError `validation` when more check locations run than one answer holds
 */
export async function* writeMetrics(db: Knex, input: WriteMetricsInput): AsyncGenerator<string, undefined> {
  let isBegun = false;
  for (const piece of metricsText(await readAll(db, input))) {
    if (isBegun) await nextTurn();
    isBegun = true;
    yield piece;
  }
}

async function readAll(
  db: Knex,
  { teamId, label, nowMs, seats }: WriteMetricsInput,
): Promise<LabelledResult[]> {
  const results: LabelledResult[] = [];
  let locations = 0;
  for (let afterKey: number | undefined = 0; afterKey !== undefined; ) {
    const seat = await seats?.acquire(teamId, { isUnderWay: true });
    let rows: NewestResultRow[];
    try {
      const checks = await listRunningCheckKeys(db, teamId, { afterKey, checksMax: CHECKS_PER_READ, label });
      locations += checks.reduce((sum, check) => sum + check.locations, 0);
      if (locations > CHECK_METRICS_MAX)
        throw invalidField(
          "label",
          `more than ${CHECK_METRICS_MAX} check locations run: scrape them in parts, by label`,
        );
      const keys = checks.map(({ key }) => key);
      rows = keys.length === 0 ? [] : await readNewestResults(db, keys, nowMs);
      afterKey = checks.length < CHECKS_PER_READ ? undefined : keys.at(-1);
    } finally {
      seat?.release();
    }
    for (let begin = 0; begin < rows.length; begin += RESULTS_PER_TURN) {
      await nextTurn();
      for (const row of rows.slice(begin, begin + RESULTS_PER_TURN)) results.push(withLabels(row));
    }
  }
  return results;
}
