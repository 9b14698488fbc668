/**
 * Keeps the results of buckets that lie only partly in a maintenance window. Rollups can't split such a bucket, which is an hour where its
 * five minutes are gone, so SLOs read its single results; these stay when their day is dropped, since an SLO's window may be longer than
 * results are kept.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { BUCKET_MS } from "../rollups/buckets.ts";
import { readBucketsFrom } from "../rollups/days-store.ts";

/**
 * Copies the results at the edges of windows, in the transaction that drops their partition.
 * @param dayMs the day of the partition
 * @param partition its name
 */
export async function keepEdges(trx: Knex, dayMs: number, partition: string): Promise<void> {
  const bucketMs = dayMs < (await readBucketsFrom(trx)) ? HOUR_MS : BUCKET_MS;
  await trx.raw(
    `WITH edges AS (
       SELECT DISTINCT o.window_key, edge.ms / ${bucketMs} * ${bucketMs} AS bucket_ms
       FROM maintenance_occurrences o
       CROSS JOIN LATERAL unnest(ARRAY[o.starts_at, o.ends_at]) AS at
       CROSS JOIN LATERAL (SELECT (extract(epoch FROM at) * 1000)::bigint AS ms) AS edge
       WHERE o.ends_at >= CAST(:from AS timestamptz) AND o.starts_at < CAST(:to AS timestamptz)
         AND at >= CAST(:from AS timestamptz) AND at < CAST(:to AS timestamptz) AND edge.ms % ${bucketMs} <> 0
     ), buckets AS (
       SELECT DISTINCT c.key AS check_key, e.bucket_ms
       FROM edges e JOIN maintenance_windows w ON w.key = e.window_key JOIN checks c ON c.team_id = w.team_id
       WHERE w.is_for_all_checks
         OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key)
     )
     INSERT INTO kept_results (check_key, location_key, slot_ms, response_time_us, status)
     SELECT r.check_key, r.location_key, r.slot_ms, r.response_time_us, r.status
     FROM buckets b JOIN ${partition} r
       ON r.check_key = b.check_key AND r.slot_ms >= b.bucket_ms AND r.slot_ms < b.bucket_ms + ${bucketMs}
     ON CONFLICT DO NOTHING`,
    { from: new Date(dayMs), to: new Date(dayMs + DAY_MS) },
  );
}
