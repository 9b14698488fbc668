/** Merging the hours of a part of a day, which is left out on Citus: no result is missing or doubled for a reader, however it is interrupted. */
import type { Socket } from "node:net";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { isOnCitus } from "../../../test-support/database.ts";
import {
  dayMs,
  HOURS,
  insertResult,
  KEPT,
  see,
  setUpMergeTests,
  storeLate,
  switchMs,
} from "../../../test-support/merge-test.ts";
import { listMergedTables } from "../../platform/db/merged-tables.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { readSnapshot } from "../read-snapshot.ts";
import {
  createPartitions,
  ensurePartitions,
  hourPartitionName,
  listPartitions,
  PART_MS,
  partitionName,
  partPartitionName,
} from "../retention/partitions.ts";
import { purgeDeletedChecks } from "../retention/purge.ts";
import { retain } from "../retention/retain.ts";
import { buildKey, copyMostLate, mergedName } from "./store.ts";
import { switchPart } from "./switch-store.ts";

const test = setUpMergeTests();
const { areCopied, fill, isSwitched, merge, mergeUntil, partitions } = test;

describe.skipIf(isOnCitus)("the merge of a part of a day", () => {
  it("leaves one table with the very same results, in which a page of a check lies together", async () => {
    await fill();
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toEqual([partPartitionName(dayMs)]);
    expect(partPartitionName(dayMs)).toBe(`${partitionName("results", dayMs)}_00_06`);
    expect(await listMergedTables(test.knex)).toEqual([]);
    const pages = await queryRows<{ pages: number }>(
      test.knex,
      `SELECT count(DISTINCT (ctid::text::point)[0])::integer AS pages
       FROM (SELECT ctid FROM results WHERE check_key = 2 ORDER BY slot_ms DESC, location_key LIMIT 50) page`,
    );
    expect(pages[0]?.pages).toBeLessThanOrEqual(2);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
  });

  it("has the indexes of every partition, and is read by them", async () => {
    await fill(1);
    await mergeUntil(isSwitched);
    const indexes = await queryRows<{ columns: string }>(
      test.knex,
      `SELECT regexp_replace(pg_get_indexdef(indexrelid), '.* USING ', '') AS columns FROM pg_index
       WHERE indrelid = CAST(? AS regclass) AND indisvalid ORDER BY 1`,
      [partPartitionName(dayMs)],
    );
    await ensurePartitions(test.knex, dayMs - DAY_MS, dayMs - DAY_MS);
    const ofAnother = await queryRows<{ columns: string }>(
      test.knex,
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
    const before = await see(test.knex);
    await mergeUntil(areCopied(2), dayMs + 2 * HOUR_MS + 30 * MINUTE_MS);
    const hours = await test.knex("copiedHours").where({ isCopied: true }).select("hourMs").orderBy("hourMs");
    expect(hours.map(({ hourMs }) => hourMs)).toEqual([dayMs, dayMs + HOUR_MS]);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(HOURS);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes results along that came late: before an hour was copied, after, and just before the switch", async () => {
    await fill(2);
    await storeLate(test.knex, dayMs + 1);
    await mergeUntil(areCopied(3), dayMs + 4 * HOUR_MS);
    await storeLate(test.knex, dayMs + 2);
    await storeLate(test.knex, dayMs + 3 * HOUR_MS + 2);
    for (let n = 0; n < 300; n++) await storeLate(test.knex, dayMs + 10 * MINUTE_MS + n, 2);
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
    expect(await test.knex("lateResultBuckets")).toEqual([]);
    await storeLate(test.knex, dayMs + 3);
    await storeLate(test.knex, dayMs + 2);
    expect((await see(test.knex)).rows).toBe(before.rows + 1);
    await mergeUntil(async () => (await test.knex("lateResultBuckets")).length === 0);
  });

  it("waits for transactions that may store results of the hour without a mark", async () => {
    await fill(1);
    const open = await test.other.transaction();
    await insertResult(open, dayMs + 5);
    await merge();
    expect(await partitions()).toHaveLength(HOURS);
    await open.commit();
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes in an hour that appears when the others are copied", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + HOURS * HOUR_MS + 30 * MINUTE_MS);
    await ensurePartitions(test.knex, dayMs + 5 * HOUR_MS, dayMs + 5 * HOUR_MS);
    await storeLate(test.knex, dayMs + 5 * HOUR_MS + 1);
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });

  it("takes in an hour that appears between the copies and the switch", async () => {
    await fill(1);
    await readSnapshot(test.other, async () => {
      await mergeUntil(areCopied(HOURS));
      await ensurePartitions(test.knex, dayMs + 5 * HOUR_MS, dayMs + 5 * HOUR_MS);
      await storeLate(test.knex, dayMs + 5 * HOUR_MS + 1);
      await copyMostLate(test.knex, dayMs);
    });
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
  });

  it("leaves out what was purged in between, also while it was copied", async () => {
    await fill(2);
    await mergeUntil(areCopied(1), dayMs + HOUR_MS + 30 * MINUTE_MS);
    await test.knex.raw(
      "INSERT INTO check_deletions (check_key, deleted_at) VALUES (1, now() - interval '1 hour'), (2, now() - interval '1 hour')",
    );
    await purgeDeletedChecks(test.knex, { keptForExport: "30 days" });
    const [left] = await queryRows<{ count: number }>(
      test.knex,
      `SELECT count(*)::integer AS count FROM ${mergedName(dayMs)} WHERE check_key IN (1, 2)`,
    );
    expect(left?.count).toBe(0);
    // As a copy leaves it that read its rows before the purge and wrote them after it.
    await test.knex.raw(`INSERT INTO ${mergedName(dayMs)} SELECT * FROM results WHERE check_key = 3 LIMIT 5`);
    await test.knex.raw(`UPDATE ${mergedName(dayMs)} SET check_key = 2, location_key = 77 WHERE ctid IN
      (SELECT ctid FROM ${mergedName(dayMs)} WHERE check_key = 3 AND xid IS NOT NULL)`);
    await mergeUntil(isSwitched);
    expect(await test.knex("results").whereIn("checkKey", [1, 2])).toEqual([]);
    expect((await see(test.knex)).rows).toBeGreaterThan(0);
    expect(await partitions()).toHaveLength(1);
  });

  it("is not switched while results of many buckets came late, which readers would wait for, nor while an hour is in use", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    const partMs = dayMs;
    await buildKey(test.knex, partMs);
    for (const minute of [0, 7, 31]) await storeLate(test.knex, dayMs + minute * MINUTE_MS + 3);
    const before = await see(test.knex);
    expect(await switchPart(test.knex, partMs)).toBe(false);
    await copyMostLate(test.knex, partMs);
    const vacuum = await test.other.transaction();
    await vacuum.raw(`LOCK TABLE ${hourPartitionName(dayMs + 2 * HOUR_MS)} IN SHARE UPDATE EXCLUSIVE MODE`);
    expect(await switchPart(test.knex, partMs)).toBe(false);
    await vacuum.commit();
    await storeLate(test.knex, dayMs + 59 * MINUTE_MS);
    const after = await see(test.knex);
    expect(after.rows).toBe(before.rows + 1);
    expect(await switchPart(test.knex, partMs)).toBe(true);
    expect(await see(test.knex)).toEqual(after);
  });

  it("knows where the buckets of a copied hour lie", async () => {
    for (const hour of [0, 3])
      await test.knex.raw(
        `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
         SELECT 1, 1, s, 1, 0, 1, 1, 1 FROM generate_series(?::bigint, ?::bigint, 500) s`,
        [dayMs + hour * HOUR_MS, dayMs + (hour + 1) * HOUR_MS - 1],
      );
    await mergeUntil(areCopied(1), dayMs + HOUR_MS + 30 * MINUTE_MS);
    const left = async (hour: number) => {
      const [row] = await queryRows<{ count: number }>(
        test.knex,
        `SELECT sum(brin_summarize_new_values(indexrelid))::integer AS count FROM pg_index JOIN pg_class c ON c.oid = indexrelid
         WHERE indrelid = CAST(? AS regclass) AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'brin')`,
        [hourPartitionName(dayMs + hour * HOUR_MS)],
      );
      return row?.count;
    };
    expect(await left(0)).toBe(0);
    expect(await left(3)).toBeGreaterThan(0);
  });

  it("is given up with its day when the day is no longer kept", async () => {
    await fill(1);
    await mergeUntil(areCopied(1), dayMs + HOUR_MS + 30 * MINUTE_MS);
    expect(await listMergedTables(test.knex)).toHaveLength(1);
    await retain(test.knex, dayMs + 40 * DAY_MS, KEPT);
    expect(await listMergedTables(test.knex)).toEqual([]);
    expect(await test.knex("copiedHours")).toEqual([]);
    expect((await partitions()).every((name) => name > partitionName("results", dayMs + DAY_MS))).toBe(true);
  });

  it("goes part by part, and leaves the hours of a part that has not ended", async () => {
    await createPartitions(test.knex, {
      fromMs: dayMs,
      toMs: dayMs + 2 * PART_MS,
      hourlyFromMs: dayMs,
    });
    await fill(13);
    const before = await see(test.knex);
    await mergeUntil(async () => (await partitions()).length === 8);
    expect(await partitions()).toEqual(
      [
        partPartitionName(dayMs),
        ...[6, 7, 8, 9, 10, 11, 12].map((hour) => hourPartitionName(dayMs + hour * HOUR_MS)),
      ].sort(),
    );
    expect(await see(test.knex)).toEqual(before);
    await mergeUntil(async () => (await partitions()).length === 3, switchMs + PART_MS);
    expect(await see(test.knex)).toEqual(before);
    expect(await listPartitions(test.knex)).toContain(partitionName("results", dayMs));
  });

  it("makes no hours within a part that is merged, and stores what comes for it there", async () => {
    await fill(1);
    await mergeUntil(isSwitched);
    await createPartitions(test.knex, { fromMs: dayMs, toMs: dayMs + PART_MS, hourlyFromMs: dayMs });
    expect(await partitions()).toEqual([hourPartitionName(dayMs + PART_MS), partPartitionName(dayMs)].sort());
    await storeLate(test.knex, dayMs + 3 * HOUR_MS);
    const rows = await queryRows<{ name: string }>(
      test.knex,
      "SELECT tableoid::regclass::text AS name FROM results WHERE location_key = 9",
    );
    expect(rows).toEqual([{ name: partPartitionName(dayMs) }]);
  });
});

describe.skipIf(isOnCitus)("readers during a merge", () => {
  it("see each result once, in statements and in snapshots, at every moment", async () => {
    await fill();
    const before = await see(test.knex);
    let isDone = false;
    const seen: unknown[] = [];
    const read = async (look: () => Promise<unknown>) => {
      while (!isDone) seen.push(await look());
    };
    const readers = [
      read(() => see(test.other)),
      read(() =>
        readSnapshot(test.other, async (trx) => {
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
    const before = await see(test.knex);
    await readSnapshot(test.other, async (trx) => {
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
    await storeLate(test.knex, dayMs + 1);
    const before = await see(test.knex);
    let n = 1;
    // Copied hours stay copied; the switch begins anew each time, so that it is cut at each of its statements.
    while ((await partitions()).length > 1) {
      if (await mergeCutAt(n)) n += 1;
      expect(await see(test.other)).toEqual(before);
    }
    expect(n).toBeGreaterThan(25);
    expect(await partitions()).toHaveLength(1);
    expect(await listMergedTables(test.knex)).toEqual([]);
    expect(await test.knex("copiedHours")).toEqual([]);
  });

  it("while it builds the index builds it again", async () => {
    await fill(1);
    const before = await see(test.knex);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    const snapshot = await test.other.transaction(undefined, { isolationLevel: "repeatable read" });
    await snapshot.raw("SELECT count(*) FROM teams");
    const merging = merge().catch(() => undefined);
    const isWaiting = async () => {
      const rows = await queryRows(
        test.knex,
        `SELECT 1 FROM pg_stat_progress_create_index p JOIN pg_index i ON i.indexrelid = p.index_relid
         WHERE p.datname = current_database() AND p.phase LIKE 'waiting for old snapshots' AND NOT i.indisvalid`,
      );
      return rows.length > 0;
    };
    await expect.poll(isWaiting).toBe(true);
    await test.other.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index WHERE datname = current_database()`,
    );
    await merging;
    await snapshot.commit();
    expect(await partitions()).toHaveLength(HOURS);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
    expect(await partitions()).toHaveLength(1);
  });
});
