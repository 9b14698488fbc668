/** Sets up tests of the merge: a database with hours of a part of a day, results in them, and a way to compare what readers see. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { afterEach, beforeEach, expect } from "vitest";
import { openPool } from "../src/platform/db/pool.ts";
import { queryRows } from "../src/platform/db/rows.ts";
import { markLateBuckets } from "../src/results/ingest/store.ts";
import { mergeResults } from "../src/results/merge/merge-results.ts";
import { createPartitions, dayOf, listLeaves, PART_MS } from "../src/results/retention/partitions.ts";
import { bucketOf } from "../src/results/rollups/buckets.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** A day that has ended, Unix ms, so that what is stored now is late for it. */
export const dayMs = dayOf(Date.now()) - 3 * DAY_MS;
/** When the day's first part may be merged, Unix ms. */
export const switchMs = dayMs + PART_MS + 30 * MINUTE_MS;
/** Hours of the part that have a table; the last one has none yet. */
export const HOURS = 5;
/** Periods of the checks, seconds: odd ones, ones that do not divide an hour, and some longer than it. */
const FREQUENCIES = [7, 60, 61, 300, 3_600, 7_000];

/** How long everything is kept that retention would drop. */
export const KEPT = {
  retentionDays: 30,
  rollupRetentionMonths: 13,
  alertRetentionDays: 400,
  incidentRetentionDays: 400,
  historyRetentionDays: 400,
  changeLogBytesMax: 1e9,
};

/** Gives each test of the calling file a database with the hours, and a second pool to look at it with. */
export function setUpMergeTests() {
  let database: TestDatabase;
  let other: Knex;
  beforeEach(async () => {
    database = await createTestDatabase();
    other = openPool(database.url, { poolMax: 3 });
    await createPartitions(database.knex, {
      fromMs: dayMs,
      toMs: dayMs + HOURS * HOUR_MS - 1,
      hourlyFromMs: dayMs,
    });
  });
  afterEach(async () => {
    await other.destroy();
    await database.drop();
  });

  /** Merges as of `switchMs` for as long as one call does. */
  const merge = (options = {}) => mergeResults(database.knex, switchMs, { rowsAtOnce: 1_000, ...options });
  const partitions = async () =>
    (await listLeaves(database.knex)).filter((name) => name.startsWith("results_2"));

  return {
    get knex() {
      return database.knex;
    },
    get other() {
      return other;
    },
    merge,
    /** Returns the names of the tables that have results. */
    partitions,
    isSwitched: async () => (await partitions()).length === 1,
    areCopied: (hours: number) => async () =>
      (await database.knex("copiedHours").where({ isCopied: true })).length === hours,
    /** Stores results of each check at three locations, all through the hours that there are. */
    async fill(hours = HOURS): Promise<void> {
      for (const [index, seconds] of FREQUENCIES.entries())
        await database.knex.raw(
          `INSERT INTO results (check_key, location_key, slot_ms, created_at, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
           SELECT ?::bigint, l, s, to_timestamp(s / 1000.0), 1, 0, 1, 1, 1 + (s / 1000 % 3)
           FROM generate_series(?::bigint, ?::bigint, ?::bigint) s, generate_series(1, 3) l`,
          [index + 1, dayMs + 137 * index, dayMs + hours * HOUR_MS - 1, seconds * 1_000],
        );
    },
    /** Merges as of `nowMs` until `isDone`: transactions of other databases of the server, too, hold a merge up. */
    async mergeUntil(isDone: () => Promise<boolean>, nowMs = switchMs): Promise<void> {
      const attempt = async () => {
        await mergeResults(database.knex, nowMs, { rowsAtOnce: 1_000 });
        return isDone();
      };
      await expect.poll(attempt).toBe(true);
    },
  };
}

/** Stores a result as ingest does, with the mark of its bucket. */
export function storeLate(db: Knex, slotMs: number, checkKey = 1): Promise<void> {
  return db.transaction(async (trx) => {
    await insertResult(trx, slotMs, checkKey);
    await markLateBuckets(trx, [bucketOf(slotMs)]);
  });
}

/** Stores a result without a mark, unless it is there. */
export async function insertResult(trx: Knex, slotMs: number, checkKey = 1): Promise<void> {
  await trx.raw(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     VALUES (?, 9, ?, 1, 0, 1, 1, 1) ON CONFLICT DO NOTHING`,
    [checkKey, slotMs],
  );
}

/** All that a reader sees of the results: how many, how many different ones, and a digest of their columns. */
export async function see(db: Knex): Promise<{ rows: number; keys: number; digest: string }> {
  const [seen] = await queryRows<{ rows: number; keys: number; digest: string }>(
    db,
    `SELECT count(*)::integer AS rows, count(DISTINCT (check_key, location_key, slot_ms))::integer AS keys,
       md5(string_agg(concat_ws(' ', check_key, location_key, slot_ms, created_at, status, elapsed_us), ',' ORDER BY check_key, location_key, slot_ms)) AS digest
     FROM results`,
  );
  return seen as { rows: number; keys: number; digest: string };
}
