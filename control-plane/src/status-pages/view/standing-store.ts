/** SQL of what a status page shows of its checks: their newest results, and the counts of their days. It reads no text of any result. */
import { DAY_MS, HOUR_MS, MINUTE_MS, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { healthMsSql, newestResults } from "../../results/newest-range.ts";
import { newestRangeOfChecks } from "../../results/newest-range-store.ts";
import { BUCKET_MS, hourOf } from "../../results/rollups/buckets.ts";

/** How a check stands at an instant. */
export interface CheckStanding {
  key: number;
  enabled: boolean;
  /** Locations with a result that is recent enough to say how the check stands now. */
  seen: number;
  /** Of those, where the newest result is no success. */
  failing: number;
  /** True when an alert of severity critical is open. */
  hasCriticalAlert: boolean;
}

/** Periods of a check, and time beside them, after which its newest result says nothing about now any more. */
const RECENT_PERIODS = 3;
const RECENT_EXTRA_MS = 5 * MINUTE_MS;

/** Reads how checks stand. Pushed checks, which report when they like, have the time in which their health counts. */
export async function readStandings(
  db: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<CheckStanding[]> {
  const range = await newestRangeOfChecks(db, checkKeys, nowMs);
  return queryRows(
    db,
    `SELECT c.key, c.enabled, count(n.status)::integer AS seen,
       (count(n.status) FILTER (WHERE n.status <> ${STATUS_CODES.success}))::integer AS failing,
       EXISTS (SELECT FROM alert_instances i WHERE i.check_key = c.key AND i.state IN ('active', 'acknowledged')
                 AND i.severity = 'critical') AS has_critical_alert
     FROM (SELECT key, enabled, location_ids, frequency_seconds, CASE WHEN push_token_sealed IS NULL
             THEN frequency_seconds * ${RECENT_PERIODS * 1000}::bigint + ${RECENT_EXTRA_MS}
             ELSE ${healthMsSql("frequency_seconds")} END AS recent_ms
           FROM checks WHERE key = ANY(CAST(:checkKeys AS bigint[]))) c
     LEFT JOIN LATERAL (SELECT key FROM locations WHERE id = ANY (c.location_ids)) l ON true
     LEFT JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "slot_ms bigint, status smallint",
       select: newestResults(range, {
         columns: "slot_ms, status",
         checkKey: "c.key",
         locationKey: "l.key",
         frequencySeconds: "c.frequency_seconds",
       }),
     })} ON n.slot_ms >= :nowMs - c.recent_ms
     GROUP BY c.key, c.enabled`,
    { checkKeys: list(checkKeys), nowMs: wholeMs(nowMs), ...range },
  );
}

/** Results of a check on one day in UTC. */
export interface DayCounts {
  checkKey: number;
  /** Begin of the day, Unix ms. */
  dayMs: number;
  good: number;
  total: number;
}

/**
 * Counts the results of checks by day, from the rollups.
 * @param range.fromMs begin of a day; `untilMs` is up to where results are rolled up
 */
export function readDayCounts(
  db: Knex,
  checkKeys: readonly number[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): Promise<DayCounts[]> {
  const part = (seconds: number, from: string, until: string) =>
    `SELECT check_key, bucket_ms, success_count, success_count + failure_count + error_count + timeout_count AS total
     FROM rollups WHERE bucket_seconds = ${seconds} AND check_key = ANY(CAST(:checkKeys AS bigint[]))
       AND bucket_ms >= :${from} AND bucket_ms < :${until}`;
  return queryRows(
    db,
    `SELECT check_key, bucket_ms / ${DAY_MS} * ${DAY_MS} AS day_ms,
       sum(success_count)::float8 AS good, sum(total)::float8 AS total
     FROM (${part(HOUR_MS / 1000, "fromMs", "hourMs")}
           UNION ALL ${part(BUCKET_MS / 1000, "hourMs", "untilMs")}) AS buckets
     GROUP BY 1, 2`,
    {
      checkKeys: list(checkKeys),
      fromMs: wholeMs(fromMs),
      hourMs: wholeMs(Math.max(fromMs, hourOf(untilMs))),
      untilMs: wholeMs(untilMs),
    },
  );
}

function list(values: readonly number[]): string {
  return `{${values.join(",")}}`;
}
