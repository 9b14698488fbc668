/** SQL of the threshold counts: successes within a response time, per check over all locations. */
import { HOUR_MS, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import { engineOf } from "../../platform/db/engine.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { BUCKET_MS } from "./buckets.ts";

/** A response time whose successes are counted for a check. */
export interface Threshold {
  checkKey: number;
  thresholdMs: number;
}

/** Ends an INSERT into performance_rollups AS p: replaces the count of a bucket where it differs. */
const REPLACE_DIFFERING_COUNTS = `
  ON CONFLICT (bucket_seconds, check_key, threshold_ms, bucket_ms) DO UPDATE SET good_count = excluded.good_count
  WHERE p.good_count <> excluded.good_count`;
const COLUMNS = "bucket_seconds, bucket_ms, check_key, threshold_ms, good_count";
/**
 * Selects the thresholds (t) that are counted: all of them, or the one of :checkKey and :thresholdMs unless these are
 * null.
 */
const IS_COUNTED = `t.counted_from_ms IS NOT NULL
  AND (CAST(:checkKey AS bigint) IS NULL OR (t.check_key = :checkKey AND t.threshold_ms = :thresholdMs))`;

/** True when any threshold is counted. Mostly none is, and no bucket has to be read. Call it under the rollups' lock. */
export async function isCounting(trx: Knex): Promise<boolean> {
  const [row] = await queryRows<{ isCounting: boolean }>(
    trx,
    `SELECT EXISTS (SELECT FROM performance_thresholds WHERE counted_from_ms IS NOT NULL) AS is_counting`,
  );
  return row?.isCounting ?? false;
}

/** A range of time in Unix ms (the end is excluded), and the one threshold to count; absent: all. */
export interface CountInput {
  fromMs: number;
  toMs: number;
  only?: Threshold;
}

/** Counts the 5 minute buckets of the range, from the stored results. */
export async function countBuckets(trx: Knex, { fromMs, toMs, only }: CountInput): Promise<void> {
  await trx.raw(
    `INSERT INTO performance_rollups AS p (${COLUMNS})
     SELECT ${BUCKET_MS / 1000}, r.slot_ms / ${BUCKET_MS} * ${BUCKET_MS}, r.check_key, t.threshold_ms,
       count(*) FILTER (WHERE r.status = ${STATUS_CODES.success} AND r.response_time_us <= t.threshold_ms * CAST(1000 AS bigint))
     FROM performance_thresholds t JOIN results r ON r.check_key = t.check_key
     WHERE r.slot_ms >= CAST(:fromMs AS bigint) AND r.slot_ms < CAST(:toMs AS bigint) AND ${IS_COUNTED}
     GROUP BY 2, 3, 4 ${REPLACE_DIFFERING_COUNTS}`,
    { fromMs, toMs, checkKey: only?.checkKey ?? null, thresholdMs: only?.thresholdMs ?? null },
  );
}

/** Counts the hours that begin in the range, from their 5 minute buckets. */
export async function countHours(trx: Knex, { fromMs, toMs, only }: CountInput): Promise<void> {
  await trx.raw(
    `INSERT INTO performance_rollups AS p (${COLUMNS})
     SELECT ${HOUR_MS / 1000}, b.bucket_ms / ${HOUR_MS} * ${HOUR_MS}, b.check_key, b.threshold_ms, sum(b.good_count)
     FROM performance_thresholds t JOIN performance_rollups b USING (check_key, threshold_ms)
     WHERE b.bucket_seconds = ${BUCKET_MS / 1000} AND b.bucket_ms >= CAST(:fromMs AS bigint)
       AND b.bucket_ms < CAST(:toMs AS bigint) AND ${IS_COUNTED}
     GROUP BY 2, 3, 4 ${REPLACE_DIFFERING_COUNTS}`,
    { fromMs, toMs, checkKey: only?.checkKey ?? null, thresholdMs: only?.thresholdMs ?? null },
  );
}

/** Adds the thresholds that performance SLOs name, and removes those that none names any more, with their counts. */
export async function matchThresholds(trx: Knex): Promise<void> {
  await trx.raw(`
    INSERT INTO performance_thresholds (check_key, threshold_ms)
    SELECT DISTINCT check_key, perf_threshold_ms FROM slos
    WHERE check_key IS NOT NULL AND perf_threshold_ms IS NOT NULL ON CONFLICT DO NOTHING`);
  if (engineOf(trx) === "citus") return removeUnusedOnCitus(trx);
  await trx.raw(`
    WITH unused AS (
      DELETE FROM performance_thresholds t
      WHERE NOT EXISTS (SELECT FROM slos s WHERE s.check_key = t.check_key AND s.perf_threshold_ms = t.threshold_ms)
      RETURNING t.check_key, t.threshold_ms
    )
    DELETE FROM performance_rollups p USING unused u
    WHERE p.check_key = u.check_key AND p.threshold_ms = u.threshold_ms`);
}

async function removeUnusedOnCitus(trx: Knex): Promise<void> {
  const unused = await queryRows<Threshold>(
    trx,
    `DELETE FROM performance_thresholds t
     WHERE NOT EXISTS (SELECT FROM slos s WHERE s.check_key = t.check_key AND s.perf_threshold_ms = t.threshold_ms)
     RETURNING t.check_key, t.threshold_ms`,
  );
  for (const threshold of unused) await trx("performanceRollups").where(threshold).delete();
}

/** Returns a threshold whose older results are not all counted yet; undefined: there is none. */
export async function findIncomplete(
  trx: Knex,
): Promise<(Threshold & { countedFromMs: number | null }) | undefined> {
  const [row] = await queryRows<Threshold & { countedFromMs: number | null }>(
    trx,
    `SELECT check_key, threshold_ms, counted_from_ms
     FROM performance_thresholds WHERE NOT is_complete ORDER BY 1, 2 LIMIT 1`,
  );
  return row;
}

/** Stores from which instant on the results of a check are counted by a threshold, and whether that is all of them. */
export async function saveCountedFrom(
  trx: Knex,
  { checkKey, thresholdMs }: Threshold,
  { countedFromMs, isComplete }: { countedFromMs: number; isComplete: boolean },
): Promise<void> {
  await trx("performanceThresholds").where({ checkKey, thresholdMs }).update({ countedFromMs, isComplete });
}
