/**
 * SQL of the rollups. Every transaction locks the progress row first, so that computations of a bucket follow one another
 * and the last one has seen all results of the earlier ones.
 */
import { HOUR_MS, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { BUCKET_MS } from "./buckets.ts";
import { CLASS_COUNT_MAX, classOf, PHASE_COLUMNS } from "./distribution.ts";

const JOB = "rollups";

/**
 * Locks the progress of the rollups.
 * @returns the end of the last computed 5 minute bucket, Unix ms; `initialMs` when none was computed yet
 */
export async function lockProgress(trx: Knex, initialMs: number): Promise<number> {
  await trx.raw("INSERT INTO job_progress (job, done_until_ms) VALUES (?, ?) ON CONFLICT DO NOTHING", [
    JOB,
    initialMs,
  ]);
  const [row] = await queryRows<{ doneUntilMs: number }>(
    trx,
    `SELECT done_until_ms FROM job_progress WHERE job = ? FOR UPDATE`,
    [JOB],
  );
  return row?.doneUntilMs ?? initialMs;
}

/**
 * Reads up to which instant (Unix ms) a job has come: with the default, results are counted in the rollups; undefined before its first
 * run.
 */
export async function readDoneUntil(db: Knex, job = JOB): Promise<number | undefined> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    db,
    "SELECT done_until_ms FROM job_progress WHERE job = ?",
    [job],
  );
  return row?.doneUntilMs;
}

/** Stores up to which instant (Unix ms) a job has come. Never goes back. */
export async function advanceDoneUntil(db: Knex, job: string, ms: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_progress AS p (job, done_until_ms) VALUES (?, ?)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = greatest(p.done_until_ms, excluded.done_until_ms)`,
    [job, ms],
  );
}

/** Stores up to which instant (Unix ms) results are counted in the rollups. */
export async function saveProgress(trx: Knex, doneUntilMs: number): Promise<void> {
  await trx.raw("UPDATE job_progress SET done_until_ms = ? WHERE job = ?", [doneUntilMs, JOB]);
}

/** Reads the oldest marked buckets before `doneUntilMs`. */
export async function readDirtyBuckets(db: Knex, doneUntilMs: number, limit: number): Promise<number[]> {
  const rows = await queryRows<{ bucketMs: number }>(
    db,
    `SELECT DISTINCT bucket_ms FROM rollup_dirty_buckets WHERE bucket_ms < ? ORDER BY 1 LIMIT ?`,
    [doneUntilMs, limit],
  );
  return rows.map((row) => row.bucketMs);
}

/** Removes the marks that are visible now; a mark that is set meanwhile stays and leads to another computation. */
export async function clearDirtyMarks(trx: Knex, bucketMs: number): Promise<void> {
  await trx.raw("DELETE FROM rollup_dirty_buckets WHERE bucket_ms = ?", [bucketMs]);
}

const countOf = (status: keyof typeof STATUS_CODES) =>
  `count(*) FILTER (WHERE status = ${STATUS_CODES[status]})`;
/** Columns of all buckets, and how each is computed from results. */
const AGGREGATES = {
  success_count: countOf("success"),
  failure_count: countOf("failure"),
  error_count: countOf("error"),
  timeout_count: countOf("timeout"),
  response_time_sum_us: "sum(response_time_us)",
  response_time_min_us: "min(response_time_us)",
  response_time_max_us: "max(response_time_us)",
} as const;
const COLUMNS = Object.keys(AGGREGATES);
const COUNTS = Object.entries(AGGREGATES).map(([column, aggregate]) => `${aggregate} AS ${column}`);
/** Columns that only the hours have. */
const HOUR_COLUMNS = ["response_time_histogram", "phase_sums_us"];
const KEY_COLUMNS = "bucket_seconds, bucket_ms, check_key, location_key";
/** Ends an INSERT into rollups AS r: replaces the columns of a bucket where they differ. */
const replaceDiffering = (columns: readonly string[]) => `
  ON CONFLICT (bucket_seconds, check_key, location_key, bucket_ms) DO UPDATE
  SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}
  WHERE (${columns.map((column) => `r.${column}`).join(", ")})
    IS DISTINCT FROM (${columns.map((column) => `excluded.${column}`).join(", ")})`;

/** Computes the 5 minute buckets from `fromMs` to before `toMs` from the stored results. */
export async function computeBuckets(trx: Knex, fromMs: number, toMs: number): Promise<void> {
  await trx.raw(
    `INSERT INTO rollups AS r (${KEY_COLUMNS}, ${COLUMNS.join(", ")})
     SELECT ${BUCKET_MS / 1000}, slot_ms / ${BUCKET_MS} * ${BUCKET_MS}, check_key, location_key,
       ${COUNTS.join(", ")}
     FROM results WHERE slot_ms >= ?::bigint AND slot_ms < ?::bigint
     GROUP BY 2, 3, 4 ${replaceDiffering(COLUMNS)}`,
    [fromMs, toMs],
  );
}

/** Computes the hour that begins at `hourMs` from the stored results: counts, distribution of response times, and times of the phases. */
export async function computeHour(trx: Knex, hourMs: number): Promise<void> {
  const sum = (column: string) => `sum(${column})::bigint`;
  await trx.raw(
    `WITH classes AS MATERIALIZED (
       SELECT check_key, location_key, ${classOf("response_time_us")} AS class, count(*) AS count, ${COUNTS.join(", ")},
         ${PHASE_COLUMNS.map((column) => `coalesce(${sum(column)}, 0) AS ${column}`).join(", ")}
       FROM results WHERE slot_ms >= CAST(:from AS bigint) AND slot_ms < CAST(:to AS bigint) GROUP BY 1, 2, 3
     )
     INSERT INTO rollups AS r (${KEY_COLUMNS}, ${[...COLUMNS, ...HOUR_COLUMNS].join(", ")})
     SELECT ${HOUR_MS / 1000}, CAST(:from AS bigint), check_key, location_key, sum(success_count), sum(failure_count),
       sum(error_count), sum(timeout_count), sum(response_time_sum_us), min(response_time_min_us), max(response_time_max_us),
       string_agg(int4send((least(count, ${CLASS_COUNT_MAX}) * 256 + class)::integer), '' ORDER BY class),
       ARRAY[${PHASE_COLUMNS.map(sum).join(", ")}]
     FROM classes GROUP BY check_key, location_key
     ${replaceDiffering([...COLUMNS, ...HOUR_COLUMNS])}`,
    { from: hourMs, to: hourMs + HOUR_MS },
  );
}

/** Reads the database's clock, which all replicas share. It decides which results are late and which buckets are closed. */
export async function readDatabaseNow(db: Knex): Promise<number> {
  const [row] = await queryRows<{ nowMs: number }>(
    db,
    `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`,
  );
  return row?.nowMs ?? 0;
}
