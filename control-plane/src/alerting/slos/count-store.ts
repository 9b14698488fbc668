/** SQL that counts results: four statements for any number of questions, each by index. */
import { groupBy, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ResultCounts } from "./result-counts.ts";
import { joinedSpans, type Piece } from "./span-pieces.ts";

/**
 * State that a count of a check's results starts from: its locations, and the instant up to which they are rolled up.
 */
export interface CountBase {
  checkKey: number;
  /** Every location that the check ever ran from. */
  locationKeys: number[];
  /** Rollups are computed up to this instant, Unix ms; 0: none are. */
  rolledUpUntilMs: number;
}

/** Returns the bases of the checks with these keys. */
export function readCountBases(db: Knex, checkKeys: readonly number[]): Promise<CountBase[]> {
  return queryRows(
    db,
    // Steps from location to location by the rollups' key: the cost follows their number, not the length of history.
    `SELECT c.key AS check_key, coalesce((SELECT done_until_ms FROM job_progress WHERE job = 'rollups'), 0)
         AS rolled_up_until_ms,
       ARRAY(
         SELECT location_key FROM ${perRow(db, {
           as: "rolled_up",
           columns: "location_key integer",
           select: `WITH RECURSIVE seen AS (
             (SELECT location_key FROM rollups WHERE bucket_seconds = 3600 AND check_key = {c.key}
              ORDER BY location_key LIMIT 1)
             UNION ALL
             SELECT (SELECT r.location_key FROM rollups r
                     WHERE r.bucket_seconds = 3600 AND r.check_key = {c.key} AND r.location_key > seen.location_key
                     ORDER BY r.location_key LIMIT 1)
             FROM seen WHERE seen.location_key IS NOT NULL
           )
           SELECT location_key FROM seen WHERE location_key IS NOT NULL`,
         })}
         UNION SELECT unnest(location_keys) FROM check_revisions WHERE check_key = c.key
       ) AS location_keys
     FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)`,
    { checkKeys: [...checkKeys] },
  );
}

/** Returns from when on successes within a threshold are counted beside the rollups of a check, Unix ms. */
export async function readCountedFrom(
  db: Knex,
  checkKeys: readonly number[],
): Promise<{ checkKey: number; thresholdMs: number; countedFromMs: number }[]> {
  return queryRows(
    db,
    `SELECT check_key, threshold_ms, counted_from_ms
     FROM performance_thresholds WHERE check_key = ANY(CAST(:checkKeys AS bigint[])) AND counted_from_ms IS NOT NULL`,
    { checkKeys: [...checkKeys] },
  );
}

/** A piece of one or several questions. */
export interface PieceToCount extends Piece {
  /** Indexes of the questions that contain it, from 0. */
  questions: readonly number[];
  checkKey: number;
  locationKeys: readonly number[];
  /** Longest response time of a good success; null: every success is good. */
  thresholdMs: number | null;
}

const COUNTED = ["total", "success", "good", "responseTimeSumUs"] as const;

/** Returns the counts by question; a question without results is missing. */
export async function countPieces(
  db: Knex,
  pieces: readonly PieceToCount[],
): Promise<Map<number, ResultCounts>> {
  const alikePieces = [
    ...groupBy(pieces, ({ questions, isSubtracted }) => `${questions.join()}:${isSubtracted}`).values(),
  ];
  const summed = alikePieces.flatMap((alike, sumIndex) => alike.map((piece) => ({ ...piece, sumIndex })));
  const located = summed.flatMap((piece) =>
    piece.locationKeys.map((locationKey) => ({ ...piece, locationKey })),
  );
  const single = located.filter(({ bucketSeconds }) => bucketSeconds === null);
  const timed = summed.filter(
    ({ bucketSeconds, thresholdMs }) => bucketSeconds !== null && thresholdMs !== null,
  );
  const rows = [
    ...(await sumRollups(db, located, 300)),
    ...(await sumRollups(db, located, 3600)),
    ...(await sumResults(db, single)),
    ...(await sumWithinThreshold(db, timed)),
  ];
  const counts = new Map<number, ResultCounts>();
  for (const row of rows) {
    const [like] = alikePieces[row.sumIndex] ?? [];
    for (const question of like?.questions ?? []) {
      const sum = counts.get(question) ?? { total: 0, success: 0, good: 0, responseTimeSumUs: 0 };
      for (const field of COUNTED) sum[field] += like?.isSubtracted ? -row[field] : row[field];
      counts.set(question, sum);
    }
  }
  // A late result may be in what is subtracted before it is in its hour.
  for (const sum of counts.values()) {
    for (const field of COUNTED) sum[field] = Math.max(0, sum[field]);
    sum.success = Math.min(sum.success, sum.total);
    sum.good = Math.min(sum.good, sum.success);
  }
  return counts;
}

type CountRow = ResultCounts & { sumIndex: number };
/** A piece with the sum that it adds to: the pieces that the same questions contain have one, which is one row. */
type SummedPiece = PieceToCount & { sumIndex: number };
type LocatedPiece = SummedPiece & { locationKey: number };

const SUMS = `
  SELECT p.sum_index, coalesce(sum(s.total), 0)::bigint AS total, coalesce(sum(s.success), 0)::bigint AS success,
    coalesce(sum(s.good), 0)::bigint AS good, coalesce(sum(s.time_us), 0)::bigint AS response_time_sum_us`;

async function sumRollups(
  db: Knex,
  located: readonly LocatedPiece[],
  bucketSeconds: 300 | 3600,
): Promise<CountRow[]> {
  const pieces = located.filter((piece) => piece.bucketSeconds === bucketSeconds);
  if (pieces.length === 0) return [];
  return queryRows(
    db,
    `${SUMS}
     FROM unnest(CAST(:sumIndex AS int[]), CAST(:checkKey AS bigint[]),
            CAST(:locationKey AS int[]), CAST(:fromMs AS bigint[]), CAST(:toMs AS bigint[]), CAST(:isTimed AS boolean[]))
          AS p (sum_index, check_key, location_key, from_ms, to_ms, is_timed)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "s",
       columns: "total bigint, success bigint, time_us numeric, good bigint",
       select: `SELECT sum(r.success_count + r.failure_count + r.error_count + r.timeout_count) AS total,
           sum(r.success_count) AS success, sum(r.response_time_sum_us) AS time_us,
           CASE WHEN {p.is_timed::integer} = 1 THEN 0 ELSE sum(r.success_count) END AS good
         FROM rollups r
         WHERE r.check_key = {p.check_key} AND r.bucket_seconds = ${bucketSeconds} AND r.location_key = {p.location_key}
           AND r.bucket_ms >= {p.from_ms} AND r.bucket_ms < {p.to_ms} AND (${withinSql("r.bucket_ms", pieces)})`,
     })}
     GROUP BY p.sum_index`,
    columnsOf(pieces),
  );
}

/** Returns the condition that a column lies in any of the pieces, roughly: by constants, so that the planner looks at few partitions. */
function withinSql(column: string, pieces: readonly Piece[]): string {
  return joinedSpans(pieces)
    .map(({ fromMs, toMs }) => `${column} >= ${wholeMs(fromMs)} AND ${column} < ${wholeMs(toMs)}`)
    .join(" OR ");
}

async function sumResults(db: Knex, pieces: readonly LocatedPiece[]): Promise<CountRow[]> {
  if (pieces.length === 0) return [];
  const inPiece = `x.check_key = {p.check_key} AND x.location_key = {p.location_key}
    AND x.slot_ms >= {p.from_ms} AND x.slot_ms < {p.to_ms}`;
  return queryRows(
    db,
    `${SUMS}
     FROM unnest(CAST(:sumIndex AS int[]), CAST(:checkKey AS bigint[]), CAST(:locationKey AS int[]),
            CAST(:fromMs AS bigint[]), CAST(:toMs AS bigint[]), CAST(:thresholds AS bigint[]))
          AS p (sum_index, check_key, location_key, from_ms, to_ms, threshold_ms)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "s",
       columns: "total bigint, success bigint, time_us bigint, good bigint",
       select: `SELECT count(*) AS total, count(*) FILTER (WHERE status = ${STATUS_CODES.success}) AS success, sum(response_time_us) AS time_us,
           count(*) FILTER (WHERE status = ${STATUS_CODES.success} AND ({p.threshold_ms} IS NULL OR response_time_us <= {p.threshold_ms} * 1000))
             AS good
         FROM (SELECT x.status, x.response_time_us FROM results x
               WHERE ${inPiece} AND (${withinSql("x.slot_ms", pieces)})
               UNION ALL SELECT x.status, x.response_time_us FROM kept_results x WHERE ${inPiece}) AS r`,
     })}
     GROUP BY p.sum_index`,
    columnsOf(pieces),
  );
}

async function sumWithinThreshold(db: Knex, pieces: readonly SummedPiece[]): Promise<CountRow[]> {
  if (pieces.length === 0) return [];
  return queryRows(
    db,
    `SELECT p.sum_index, 0 AS total, 0 AS success, coalesce(sum(s.good), 0)::bigint AS good, 0 AS response_time_sum_us
     FROM unnest(CAST(:sumIndex AS int[]), CAST(:bucketSeconds AS int[]), CAST(:checkKey AS bigint[]),
            CAST(:thresholds AS int[]), CAST(:fromMs AS bigint[]), CAST(:toMs AS bigint[]))
          AS p (sum_index, bucket_seconds, check_key, threshold_ms, from_ms, to_ms)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "s",
       columns: "good bigint",
       select: `SELECT sum(r.good_count) AS good FROM performance_rollups r
         WHERE r.check_key = {p.check_key} AND r.bucket_seconds = {p.bucket_seconds} AND r.threshold_ms = {p.threshold_ms}
           AND r.bucket_ms >= {p.from_ms} AND r.bucket_ms < {p.to_ms}`,
     })}
     GROUP BY p.sum_index`,
    columnsOf(pieces),
  );
}

/** Returns the pieces by column, as unnest takes them. */
function columnsOf(pieces: readonly (SummedPiece & { locationKey?: number })[]) {
  return {
    sumIndex: pieces.map(({ sumIndex }) => sumIndex),
    bucketSeconds: pieces.map(({ bucketSeconds }) => bucketSeconds),
    checkKey: pieces.map(({ checkKey }) => checkKey),
    locationKey: pieces.map(({ locationKey }) => locationKey ?? null),
    fromMs: pieces.map(({ fromMs }) => wholeMs(fromMs)),
    toMs: pieces.map(({ toMs }) => wholeMs(toMs)),
    thresholds: pieces.map(({ thresholdMs }) => thresholdMs),
    isTimed: pieces.map(({ thresholdMs }) => thresholdMs !== null),
  };
}
