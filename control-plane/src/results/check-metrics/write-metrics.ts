/** Writes the metrics of a team's checks. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CHECK_METRICS_MAX, invalidField, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamSeats } from "../../platform/http/team-seats.ts";
import { metricsText } from "./exposition.ts";
import { listRunningCheckKeys, type NewestResultRow, readNewestResults } from "./store.ts";

/** Checks whose results are read by one statement: it takes some tens of milliseconds. */
const CHECKS_PER_READ = 500;

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
): Promise<NewestResultRow[]> {
  const results: NewestResultRow[] = [];
  let locations = 0;
  for (let afterKey = 0; ; ) {
    const seat = await seats?.acquire(teamId, { isUnderWay: true });
    try {
      const checks = await listRunningCheckKeys(db, teamId, { afterKey, checksMax: CHECKS_PER_READ, label });
      const last = checks.at(-1);
      if (!last) return results;
      locations += checks.reduce((sum, check) => sum + check.locations, 0);
      if (locations > CHECK_METRICS_MAX)
        throw invalidField(
          "label",
          `more than ${CHECK_METRICS_MAX} check locations run: scrape them in parts, by label`,
        );
      const keys = checks.map(({ key }) => key);
      results.push(...(await readNewestResults(db, keys, nowMs)));
      if (checks.length < CHECKS_PER_READ) return results;
      afterKey = last.key;
    } finally {
      seat?.release();
    }
    await nextTurn();
  }
}
