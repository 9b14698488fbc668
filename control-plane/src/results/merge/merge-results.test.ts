/** Merging the hours of a part of a day, which is left out on Citus: no result is missing or doubled for a reader, however it is interrupted. */
import type { Socket } from "node:net";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { flattenPartitions } from "../../platform/db/distribute.ts";
import { openPool } from "../../platform/db/pool.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { markLateBuckets } from "../ingest/store.ts";
import { readSnapshot } from "../read-snapshot.ts";
import {
  createPartitions,
  dayOf,
  ensurePartitions,
  hourPartitionName,
  listLeaves,
  listPartitions,
  PART_MS,
  partitionName,
  partPartitionName,
  readPartitions,
} from "../retention/partitions.ts";
import { purgeDeletedChecks } from "../retention/purge.ts";
import { retain } from "../retention/retain.ts";
import { bucketOf } from "../rollups/buckets.ts";
import { mergeResults } from "./merge-results.ts";
import { copyMostLate, listMergedTables, mergedName } from "./store.ts";

/** A day that has ended, so that what is stored now is late for it. */
const dayMs = dayOf(Date.now()) - 3 * DAY_MS;
const switchMs = dayMs + PART_MS + 30 * MINUTE_MS;
/** Hours of the part that have a table; the last one has none yet. */
const HOURS = 5;
/** Periods of the checks, seconds: odd ones, ones that do not divide an hour, and some longer than it. */
const FREQUENCIES = [7, 60, 61, 300, 3_600, 7_000];

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

/** Stores results of each check at three locations, all through the hours that there are. */
async function fill(hours = HOURS): Promise<void> {
  for (const [index, seconds] of FREQUENCIES.entries())
    await database.knex.raw(
      `INSERT INTO results (check_key, location_key, slot_ms, created_at, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
       SELECT ?::bigint, l, s, to_timestamp(s / 1000.0), 1, 0, 1, 1, 1 + (s / 1000 % 3)
       FROM generate_series(?::bigint, ?::bigint, ?::bigint) s, generate_series(1, 3) l`,
      [index + 1, dayMs + 137 * index, dayMs + hours * HOUR_MS - 1, seconds * 1_000],
    );
}

/** Stores a result as ingest does, with the mark of its bucket. */
function storeLate(db: Knex, slotMs: number, checkKey = 1): Promise<void> {
  return db.transaction(async (trx) => {
    await insertResult(trx, slotMs, checkKey);
    await markLateBuckets(trx, [bucketOf(slotMs)]);
  });
}

async function insertResult(trx: Knex, slotMs: number, checkKey = 1): Promise<void> {
  await trx.raw(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     VALUES (?, 9, ?, 1, 0, 1, 1, 1) ON CONFLICT DO NOTHING`,
    [checkKey, slotMs],
  );
}

/** All that a reader sees of the results: how many, how many different ones, and a digest of their columns. */
async function see(db: Knex): Promise<{ rows: number; keys: number; digest: string }> {
  const [seen] = await queryRows<{ rows: number; keys: number; digest: string }>(
    db,
    `SELECT count(*)::integer AS rows, count(DISTINCT (check_key, location_key, slot_ms))::integer AS keys,
       md5(string_agg(concat_ws(' ', check_key, location_key, slot_ms, created_at, status, elapsed_us), ',' ORDER BY check_key, location_key, slot_ms)) AS digest
     FROM results`,
  );
  return seen as { rows: number; keys: number; digest: string };
}

const merge = (options = {}) => mergeResults(database.knex, switchMs, { rowsAtOnce: 1_000, ...options });

/** Merges as of `nowMs` until `isDone`: transactions of other databases of the server, too, hold a merge up. */
async function mergeUntil(isDone: () => Promise<boolean>, nowMs = switchMs): Promise<void> {
  const attempt = async () => {
    await mergeResults(database.knex, nowMs, { rowsAtOnce: 1_000 });
    return isDone();
  };
  await expect.poll(attempt).toBe(true);
}

const isSwitched = async () => (await partitions()).length === 1;
const areCopied = (hours: number) => async () =>
  (await database.knex("copiedHours").where({ isCopied: true })).length === hours;
const partitions = async () =>
  (await listLeaves(database.knex)).filter((name) => name.startsWith("results_2"));

describe.skipIf(isOnCitus)("the merge of a part of a day", () => {
  it("leaves one table with the very same results, in which a page of a check lies together", async () => {
    await fill();
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toEqual([partPartitionName(dayMs)]);
    expect(partPartitionName(dayMs)).toBe(`${partitionName("results", dayMs)}_00_06`);
    expect(await listMergedTables(database.knex)).toEqual([]);
    const pages = await queryRows<{ pages: number }>(
      database.knex,
      `SELECT count(DISTINCT (ctid::text::point)[0])::integer AS pages
       FROM (SELECT ctid FROM results WHERE check_key = 2 ORDER BY slot_ms DESC, location_key LIMIT 50) page`,
    );
    expect(pages[0]?.pages).toBeLessThanOrEqual(2);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
  });

  it("has the indexes of every partition, and is read by them", async () => {
    await fill(1);
    await mergeUntil(isSwitched);
    const indexes = await queryRows<{ columns: string }>(
      database.knex,
      `SELECT regexp_replace(pg_get_indexdef(indexrelid), '.* USING ', '') AS columns FROM pg_index
       WHERE indrelid = CAST(? AS regclass) AND indisvalid ORDER BY 1`,
      [partPartitionName(dayMs)],
    );
    await ensurePartitions(database.knex, dayMs - DAY_MS, dayMs - DAY_MS);
    const ofAnother = await queryRows<{ columns: string }>(
      database.knex,
      `SELECT regexp_replace(pg_get_indexdef(indexrelid), '.* USING ', '') AS columns FROM pg_index
       WHERE indrelid = CAST(? AS regclass) AND indisvalid ORDER BY 1`,
      [partitionName("results", dayMs - DAY_MS)],
    );
    const plain = (rows: { columns: string }[]) =>
      rows.map(({ columns }) => columns.replace(/ WITH \(fillfactor.*?\)/, ""));
    expect(plain(indexes)).toEqual(plain(ofAnother));
  });

  it("begins with hours that have ended, and waits for the last one", async () => {
    await fill();
    const before = await see(database.knex);
    await mergeUntil(areCopied(2), dayMs + 2 * HOUR_MS + 30 * MINUTE_MS);
    const hours = await database
      .knex("copiedHours")
      .where({ isCopied: true })
      .select("hourMs")
      .orderBy("hourMs");
    expect(hours.map(({ hourMs }) => hourMs)).toEqual([dayMs, dayMs + HOUR_MS]);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(HOURS);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes results along that came late: before an hour was copied, after, and just before the switch", async () => {
    await fill(2);
    await storeLate(database.knex, dayMs + 1);
    await mergeUntil(areCopied(3), dayMs + 4 * HOUR_MS);
    await storeLate(database.knex, dayMs + 2);
    await storeLate(database.knex, dayMs + 3 * HOUR_MS + 2);
    for (let n = 0; n < 300; n++) await storeLate(database.knex, dayMs + 10 * MINUTE_MS + n, 2);
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
    expect(await database.knex("lateResultBuckets")).toEqual([]);
    await storeLate(database.knex, dayMs + 3);
    await storeLate(database.knex, dayMs + 2);
    expect((await see(database.knex)).rows).toBe(before.rows + 1);
    await mergeUntil(async () => (await database.knex("lateResultBuckets")).length === 0);
  });

  it("waits for transactions that may store results of the hour without a mark", async () => {
    await fill(1);
    const open = await other.transaction();
    await insertResult(open, dayMs + 5);
    await merge();
    expect(await partitions()).toHaveLength(HOURS);
    await open.commit();
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes in an hour that appears when the others are copied", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + HOURS * HOUR_MS + 30 * MINUTE_MS);
    await ensurePartitions(database.knex, dayMs + 5 * HOUR_MS, dayMs + 5 * HOUR_MS);
    await storeLate(database.knex, dayMs + 5 * HOUR_MS + 1);
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes in an hour that appears between the copies and the switch", async () => {
    await fill(1);
    await readSnapshot(other, async () => {
      await mergeUntil(areCopied(HOURS));
      await ensurePartitions(database.knex, dayMs + 5 * HOUR_MS, dayMs + 5 * HOUR_MS);
      await storeLate(database.knex, dayMs + 5 * HOUR_MS + 1);
      await copyMostLate(database.knex, dayMs);
    });
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
  });

  it("leaves out what was purged in between, also while it was copied", async () => {
    await fill(2);
    await mergeUntil(areCopied(1), dayMs + HOUR_MS + 30 * MINUTE_MS);
    await database.knex.raw(
      "INSERT INTO check_deletions (check_key, deleted_at) VALUES (1, now() - interval '1 hour'), (2, now() - interval '1 hour')",
    );
    await purgeDeletedChecks(database.knex, { keptForExport: "30 days" });
    const [left] = await queryRows<{ count: number }>(
      database.knex,
      `SELECT count(*)::integer AS count FROM ${mergedName(dayMs)} WHERE check_key IN (1, 2)`,
    );
    expect(left?.count).toBe(0);
    // As a copy leaves it that read its rows before the purge and wrote them after it.
    await database.knex.raw(
      `INSERT INTO ${mergedName(dayMs)} SELECT * FROM results WHERE check_key = 3 LIMIT 5`,
    );
    await database.knex.raw(`UPDATE ${mergedName(dayMs)} SET check_key = 2, location_key = 77 WHERE ctid IN
      (SELECT ctid FROM ${mergedName(dayMs)} WHERE check_key = 3 AND xid IS NOT NULL)`);
    await mergeUntil(isSwitched);
    expect(await database.knex("results").whereIn("checkKey", [1, 2])).toEqual([]);
    expect((await see(database.knex)).rows).toBeGreaterThan(0);
    expect(await partitions()).toHaveLength(1);
  });

  it("is given up with its day when the day is no longer kept", async () => {
    await fill(1);
    await mergeUntil(areCopied(1), dayMs + HOUR_MS + 30 * MINUTE_MS);
    expect(await listMergedTables(database.knex)).toHaveLength(1);
    await retain(database.knex, dayMs + 40 * DAY_MS, {
      retentionDays: 30,
      rollupRetentionMonths: 13,
      alertRetentionDays: 400,
      incidentRetentionDays: 400,
      historyRetentionDays: 400,
      changeLogBytesMax: 1e9,
    });
    expect(await listMergedTables(database.knex)).toEqual([]);
    expect(await database.knex("copiedHours")).toEqual([]);
    expect((await partitions()).every((name) => name > partitionName("results", dayMs + DAY_MS))).toBe(true);
  });

  it("goes part by part, and leaves the hours of a part that has not ended", async () => {
    await createPartitions(database.knex, {
      fromMs: dayMs,
      toMs: dayMs + 2 * PART_MS,
      hourlyFromMs: dayMs,
    });
    await fill(13);
    const before = await see(database.knex);
    await mergeUntil(async () => (await partitions()).length === 8);
    expect(await partitions()).toEqual(
      [
        partPartitionName(dayMs),
        ...[6, 7, 8, 9, 10, 11, 12].map((hour) => hourPartitionName(dayMs + hour * HOUR_MS)),
      ].sort(),
    );
    expect(await see(database.knex)).toEqual(before);
    await mergeUntil(async () => (await partitions()).length === 3, switchMs + PART_MS);
    expect(await see(database.knex)).toEqual(before);
    expect(await listPartitions(database.knex)).toContain(partitionName("results", dayMs));
  });

  it("makes no hours within a part that is merged, and stores what comes for it there", async () => {
    await fill(1);
    await mergeUntil(isSwitched);
    await createPartitions(database.knex, { fromMs: dayMs, toMs: dayMs + PART_MS, hourlyFromMs: dayMs });
    expect(await partitions()).toEqual([hourPartitionName(dayMs + PART_MS), partPartitionName(dayMs)].sort());
    await storeLate(database.knex, dayMs + 3 * HOUR_MS);
    const rows = await queryRows<{ name: string }>(
      database.knex,
      "SELECT tableoid::regclass::text AS name FROM results WHERE location_key = 9",
    );
    expect(rows).toEqual([{ name: partPartitionName(dayMs) }]);
  });
});

/** As the release before does it: hours are partitions of results, a day that has a partition gets none, and marks are kept elsewhere. */
describe.skipIf(isOnCitus)("beside a release that merges whole days", () => {
  const daysOf = async () =>
    (await readPartitions(database.knex)).filter(({ name }) => name === partitionName("results", dayMs));

  async function makeFormerHours(hours: readonly number[]): Promise<void> {
    await database.knex.raw(`DROP TABLE ${partitionName("results", dayMs)}`);
    for (const hour of hours) {
      const fromMs = dayMs + hour * HOUR_MS;
      await database.knex.raw(
        `CREATE TABLE ${hourPartitionName(fromMs)} PARTITION OF results FOR VALUES FROM (${fromMs}) TO (${fromMs + HOUR_MS})`,
      );
    }
  }

  it("its hours become those of their day, without what it had copied", async () => {
    await makeFormerHours([0, 1, 2, 3, 4, 9]);
    await fill();
    await insertResult(database.knex, dayMs + 9 * HOUR_MS);
    await database.knex.raw(`CREATE TABLE merged_${partitionName("results", dayMs)} (LIKE results)`);
    const before = await see(database.knex);
    await ensurePartitions(database.knex, dayMs + 10 * HOUR_MS, dayMs + 10 * HOUR_MS);
    expect(await daysOf()).toEqual([]);
    // The first six hours are one part then; the day's other hours are there, those too that the release before had not made.
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await daysOf()).toEqual([expect.objectContaining({ parent: "results", isLeaf: false })]);
    expect(await listMergedTables(database.knex)).toEqual([]);
    expect(await see(database.knex)).toEqual(before);
    const left = await queryRows(
      database.knex,
      `SELECT 1 FROM pg_constraint WHERE contype = 'c' AND conname LIKE 'results_2%'`,
    );
    expect(left).toEqual([]);
  });

  it("waits for readers, and is gone on with", async () => {
    await makeFormerHours([0, 1]);
    await fill(2);
    const before = await see(database.knex);
    await readSnapshot(other, async (trx) => {
      await merge();
      expect(await daysOf()).toEqual([]);
      expect(await see(trx)).toEqual(before);
    });
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await see(database.knex)).toEqual(before);
  });

  it("a part that is a partition of results, as on Citus, is taken over, too", async () => {
    await fill();
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    await createPartitions(database.knex, { fromMs: dayMs, toMs: dayMs + PART_MS, hourlyFromMs: dayMs });
    await flattenPartitions(database.knex);
    expect(await daysOf()).toEqual([]);
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await daysOf()).toEqual([expect.objectContaining({ isLeaf: false })]);
    expect(await see(database.knex)).toEqual(before);
  });

  it("deletes no rows of other checks by their places, but nothing", async () => {
    await fill(2);
    const before = await see(database.knex);
    const day = partitionName("results", dayMs);
    await expect(
      database.knex.raw(
        `DELETE FROM ${day} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${day} WHERE check_key = 1 LIMIT 5000))`,
      ),
    ).rejects.toThrow(/deleted from its hours and parts/);
    expect(await see(database.knex)).toEqual(before);
    await database.knex("results").where({ checkKey: 1 }).delete();
    expect((await see(database.knex)).rows).toBeLessThan(before.rows);
  });

  it("a result that it stores late, with its own mark, is found", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    await database.knex.transaction(async (trx) => {
      await insertResult(trx, dayMs + 5);
      await trx("unmergedLateBuckets").insert({ bucketMs: dayMs });
      await trx("rollupDirtyBuckets").insert({ bucketMs: dayMs });
    });
    expect(await database.knex("lateHours").select("hourMs")).toEqual([{ hourMs: dayMs }]);
    const before = await see(database.knex);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
  });

  it("finds all hours of the days that retention makes ahead", async () => {
    const nowMs = Date.now();
    await retain(database.knex, nowMs, {
      retentionDays: 30,
      rollupRetentionMonths: 13,
      alertRetentionDays: 400,
      incidentRetentionDays: 400,
      historyRetentionDays: 400,
      changeLogBytesMax: 1e9,
    });
    const leaves = await listLeaves(database.knex);
    for (const day of [dayOf(nowMs), dayOf(nowMs + 12 * HOUR_MS)])
      for (let hour = day; hour < day + DAY_MS; hour += HOUR_MS)
        expect(leaves).toContain(hourPartitionName(hour));
  });
});

describe.skipIf(isOnCitus)("readers during a merge", () => {
  it("see each result once, in statements and in snapshots, at every moment", async () => {
    await fill();
    const before = await see(database.knex);
    let isDone = false;
    const seen: unknown[] = [];
    const read = async (look: () => Promise<unknown>) => {
      while (!isDone) seen.push(await look());
    };
    const readers = [
      read(() => see(other)),
      read(() =>
        readSnapshot(other, async (trx) => {
          await trx.raw("SELECT 1");
          return see(trx);
        }),
      ),
    ];
    while ((await partitions()).length > 1) await merge({ rowsAtOnce: 500 });
    isDone = true;
    await Promise.all(readers);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.filter((one) => JSON.stringify(one) !== JSON.stringify(before))).toEqual([]);
  });

  it("hold the switch up for as long as their snapshot lasts, and nobody else for long", async () => {
    await fill(1);
    const before = await see(database.knex);
    await readSnapshot(other, async (trx) => {
      await mergeUntil(areCopied(HOURS));
      expect(await partitions()).toHaveLength(HOURS);
      expect(await see(trx)).toEqual(before);
    });
    await mergeUntil(isSwitched);
    expect(await partitions()).toHaveLength(1);
  });
});

describe.skipIf(isOnCitus)("a merge that is killed", () => {
  /** Cuts the connection of the merge before its `n`th statement is sent. Returns false when it had fewer. */
  async function mergeCutAt(n: number): Promise<boolean> {
    let count = 0;
    const send = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
    const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      if (++count === n) (this as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      return send.apply(this, args) as never;
    });
    try {
      await merge();
    } catch {
      // cut
    } finally {
      spy.mockRestore();
    }
    return count >= n;
  }

  it("at any of its statements has lost and doubled nothing, and is gone on with", async () => {
    await fill(2);
    await storeLate(database.knex, dayMs + 1);
    const before = await see(database.knex);
    let n = 1;
    // Copied hours stay copied; the switch begins anew each time, so that it is cut at each of its statements.
    while ((await partitions()).length > 1) {
      if (await mergeCutAt(n)) n += 1;
      expect(await see(other)).toEqual(before);
    }
    expect(n).toBeGreaterThan(25);
    expect(await partitions()).toHaveLength(1);
    expect(await listMergedTables(database.knex)).toEqual([]);
    expect(await database.knex("copiedHours")).toEqual([]);
  });

  it("while it builds the index builds it again", async () => {
    await fill(1);
    const before = await see(database.knex);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    const snapshot = await other.transaction(undefined, { isolationLevel: "repeatable read" });
    await snapshot.raw("SELECT count(*) FROM teams");
    const merging = merge().catch(() => undefined);
    const isWaiting = async () => {
      const rows = await queryRows(
        database.knex,
        `SELECT 1 FROM pg_stat_progress_create_index p JOIN pg_index i ON i.indexrelid = p.index_relid
         WHERE p.datname = current_database() AND p.phase LIKE 'waiting for old snapshots' AND NOT i.indisvalid`,
      );
      return rows.length > 0;
    };
    await expect.poll(isWaiting).toBe(true);
    await other.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE datname = current_database()`,
    );
    await merging;
    await snapshot.commit();
    expect(await partitions()).toHaveLength(HOURS);
    await mergeUntil(isSwitched);
    expect(await see(database.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });
});
