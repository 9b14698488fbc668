/** Fills a database with results and rollups of many days, as they lie when the service stored them and put them in order. */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import {
  createDay,
  createSlotIndex,
  dayOf,
  ensurePartitions,
  hourPartitionName,
  PART_MS,
  partitionName,
  partOf,
  partPartitionName,
  readPartitions,
} from "../src/results/retention/partitions.ts";
import { orderHours } from "../src/results/rollups/order-hours.ts";

const MINUTE_MS = 60_000;
/** Time from the end of a part of a day until it is merged, about. */
const MERGED_AFTER_MS = 30 * MINUTE_MS;

export interface StoredHistory {
  /** Checks that run once a minute, in the order of their keys. */
  checks: readonly { key: number; phaseMs: number }[];
  locationKey: number;
  /** End of what is stored, ms. */
  nowMs: number;
  /** Days of results, today included. */
  resultDays: number;
  /** Days of hourly rollups, today included. */
  rollupDays: number;
}

/**
 * Stores a result a minute for each check, and the rollups that the service would have computed of them. Parts of days that ended a
 * while ago are merged, hour by hour in the order of the checks; what is newer lies as it came. One result in a thousand is a failure.
 */
export async function storeHistory(
  knex: Knex,
  { checks, locationKey, nowMs, resultDays, rollupDays }: StoredHistory,
): Promise<void> {
  const firstDayMs = dayOf(nowMs) - (rollupDays - 1) * DAY_MS;
  const firstResultDayMs = dayOf(nowMs) - (resultDays - 1) * DAY_MS;
  const mergedUntilMs = partOf(nowMs - MERGED_AFTER_MS);
  // What a control plane that has just begun would create meanwhile.
  await ensurePartitions(knex, dayOf(nowMs) - DAY_MS, nowMs);
  await createParts(knex, firstResultDayMs, mergedUntilMs);
  await ensurePartitions(knex, firstResultDayMs, nowMs);
  // On a connection of its own, because a loaded machine may take longer than a statement may.
  const client = await knex.client.acquireRawConnection();
  await client.query("SET statement_timeout = 0");
  const keys = [checks.map(({ key }) => key), checks.map(({ phaseMs }) => phaseMs), locationKey];
  for (let partMs = firstResultDayMs; partMs <= nowMs; partMs += PART_MS)
    await client.query(
      `INSERT INTO results (check_key, location_key, slot_ms, created_at, runner_key, start_delay_ms, elapsed_us, response_time_us,
         http_status_code, status)
       SELECT c, $3, slot + phase_ms, to_timestamp((slot + phase_ms + 900) / 1000.0), 1, 0, 3000, 1000 + c % 7, 200,
         CASE WHEN (c + slot / ${MINUTE_MS}) % 1000 = 0 THEN 2 ELSE 1 END
       FROM unnest($1::bigint[], $2::bigint[]) checks (c, phase_ms), generate_series($4::bigint, $5::bigint, ${MINUTE_MS}) slot
       ORDER BY ${partMs < mergedUntilMs ? `slot / ${HOUR_MS}, c, slot` : "slot + phase_ms"}`,
      [...keys, partMs, Math.min(partMs + PART_MS, nowMs) - MINUTE_MS],
    );
  // Bucket by bucket for all checks, as they are computed.
  for (const [seconds, fromMs] of [
    [300, dayOf(nowMs) - DAY_MS],
    [3_600, firstDayMs],
  ] as const)
    await client.query(
      `INSERT INTO rollups (bucket_seconds, bucket_ms, check_key, location_key, success_count, failure_count, error_count, timeout_count,
         response_time_sum_us, response_time_min_us, response_time_max_us, response_time_histogram, phase_sums_us)
       SELECT ${seconds}, bucket, c, $2, ${seconds / 60}, 0, 0, 0, ${seconds / 60} * 1003, 1000, 1006,
         ${seconds === 3_600 ? "decode(repeat('00002a10', 8), 'hex'), '{0,0,0,0,0}'" : "NULL, NULL"}
       FROM generate_series($3::bigint, $4::bigint, ${seconds * 1_000}) bucket, unnest($1::bigint[]) c ORDER BY bucket, c
       ON CONFLICT DO NOTHING`,
      [keys[0], locationKey, fromMs, Math.floor(nowMs / (seconds * 1_000) - 1) * seconds * 1_000],
    );
  await client.query(
    "INSERT INTO job_progress VALUES ('rollups', $1) ON CONFLICT (job) DO UPDATE SET done_until_ms = $1",
    [Math.floor(nowMs / 300_000) * 300_000],
  );
  // A control plane that runs has put the hours in order that were there: none.
  await client.query("DELETE FROM job_progress WHERE job = 'rollup_order'");
  await orderHours(knex, nowMs);
  await client.query("VACUUM ANALYZE results");
  await client.query("VACUUM ANALYZE rollups");
  await client.end();
}

/** Creates the parts of days as the merge leaves them, in the place of what a control plane has created already. */
async function createParts(knex: Knex, fromMs: number, untilMs: number): Promise<void> {
  const existing = await readPartitions(knex);
  const drop = (name: string) => knex.raw(`DROP TABLE IF EXISTS ${name}`);
  for (let partMs = fromMs; partMs < untilMs; partMs += PART_MS) {
    const day = partitionName("results", partMs);
    if (partMs === dayOf(partMs)) {
      const known = existing.find(({ name }) => name === day);
      if (known?.isLeaf) await drop(day);
      if (!known || known.isLeaf) await createDay(knex, partMs, { isByHour: true });
    }
    for (let hourMs = partMs; hourMs < partMs + PART_MS; hourMs += HOUR_MS)
      await drop(hourPartitionName(hourMs));
    const name = partPartitionName(partMs);
    await knex.raw(
      `CREATE TABLE ${name} PARTITION OF ${day} FOR VALUES FROM (${partMs}) TO (${partMs + PART_MS})`,
    );
    await createSlotIndex(knex, name);
  }
}
