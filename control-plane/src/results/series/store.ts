/** SQL of series: results or hourly rollups of one check, grouped by location and bucket. */
import { HOUR_MS, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { sentAlong } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { TimeRange } from "../coverage/time-range.ts";
import { PHASE_COLUMNS } from "../rollups/distribution.ts";
import { LOCATIONS_OF_CHECK, REVISIONS_OF_CHECK } from "../store.ts";

/** The results of one location in one bucket. Durations in microseconds. */
export interface BucketRow {
  locationKey: number;
  bucketMs: number;
  success: number;
  failure: number;
  error: number;
  timeout: number;
  sumUs: number;
  minUs: number;
  maxUs: number;
  /** Sums of the phases; null: rollups of an earlier version have none. */
  phaseSumsUs: number[] | null;
  /** Each response time, 4 bytes; null in rows of rollups. */
  times: Buffer | null;
  /** Stored distributions one behind the other; null in rows of results, and of earlier rollups. */
  distributions: Buffer | null;
}

const bucketOf = (column: string) => `${column} / CAST(:widthMs AS bigint) * :widthMs`;

/** Reads a range of results in buckets. */
export function readBucketsOfResults(
  db: Knex,
  checkKey: number,
  { fromMs, toMs, widthMs }: TimeRange & { widthMs: number },
): Promise<BucketRow[]> {
  const counts = Object.entries(STATUS_CODES).map(
    ([status, code]) => `(count(*) FILTER (WHERE r.status = ${code}))::integer AS ${status}`,
  );
  return queryRows(
    db,
    `${sentAlong(db, { check_revisions: REVISIONS_OF_CHECK })}SELECT r.location_key, ${bucketOf("r.slot_ms")} AS bucket_ms, ${counts.join(", ")},
       sum(r.response_time_us)::float8 AS sum_us, min(r.response_time_us) AS min_us, max(r.response_time_us) AS max_us,
       ARRAY[${PHASE_COLUMNS.map((column) => `coalesce(sum(r.${column}), 0)::float8`).join(", ")}] AS phase_sums_us,
       string_agg(int4send(r.response_time_us), '') AS times, NULL::bytea AS distributions
     FROM (${LOCATIONS_OF_CHECK}) l
     JOIN results r ON r.check_key = :checkKey AND r.location_key = l.location_key AND r.slot_ms >= :fromMs AND r.slot_ms < :toMs
     GROUP BY 1, 2`,
    { checkKey, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs), widthMs: wholeMs(widthMs) },
  );
}

/** Reads a range of hourly rollups in buckets. */
export function readBucketsOfRollups(
  db: Knex,
  checkKey: number,
  { fromMs, toMs, widthMs }: TimeRange & { widthMs: number },
): Promise<BucketRow[]> {
  const counts = Object.keys(STATUS_CODES).map((status) => `sum(r.${status}_count)::integer AS ${status}`);
  const phases = PHASE_COLUMNS.map((_, i) => `sum(r.phase_sums_us[${i + 1}])::float8`);
  return queryRows(
    db,
    `${sentAlong(db, { check_revisions: REVISIONS_OF_CHECK })}SELECT r.location_key, ${bucketOf("r.bucket_ms")} AS bucket_ms, ${counts.join(", ")},
       sum(r.response_time_sum_us)::float8 AS sum_us, min(r.response_time_min_us) AS min_us, max(r.response_time_max_us) AS max_us,
       CASE WHEN count(r.phase_sums_us) = count(*) THEN ARRAY[${phases.join(", ")}] END AS phase_sums_us,
       NULL::bytea AS times,
       CASE WHEN count(r.response_time_histogram) = count(*) THEN string_agg(r.response_time_histogram, '') END AS distributions
     FROM (${LOCATIONS_OF_CHECK}) l
     JOIN rollups r ON r.bucket_seconds = ${HOUR_MS / 1000} AND r.check_key = :checkKey AND r.location_key = l.location_key
       AND r.bucket_ms >= :fromMs AND r.bucket_ms < :toMs
     GROUP BY 1, 2`,
    { checkKey, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs), widthMs: wholeMs(widthMs) },
  );
}

/** Reads up to which instant results are rolled up, Unix ms; undefined: none are. */
export async function readRolledUpUntil(db: Knex): Promise<number | undefined> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    db,
    "SELECT done_until_ms FROM job_progress WHERE job = 'rollups'",
  );
  return row?.doneUntilMs;
}
