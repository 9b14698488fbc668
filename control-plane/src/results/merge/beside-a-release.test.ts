/**
 * The merge beside a release that merges whole days. As that release does it: hours are partitions of results, a day that has a
 * partition gets none, and marks are kept elsewhere.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { isOnCitus } from "../../../test-support/database.ts";
import {
  dayMs,
  HOURS,
  insertResult,
  KEPT,
  see,
  setUpMergeTests,
  storeLate,
} from "../../../test-support/merge-test.ts";
import { flattenPartitions } from "../../platform/db/distribute.ts";
import { listMergedTables } from "../../platform/db/merged-tables.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { readSnapshot } from "../read-snapshot.ts";
import {
  createPartitions,
  dayOf,
  ensurePartitions,
  hourPartitionName,
  listLeaves,
  PART_MS,
  partitionName,
  readPartitions,
} from "../retention/partitions.ts";
import { retain } from "../retention/retain.ts";
import { forgetSettledMarks } from "./store.ts";

const test = setUpMergeTests();
const { areCopied, fill, isSwitched, merge, mergeUntil, partitions } = test;

describe.skipIf(isOnCitus)("beside a release that merges whole days", () => {
  const daysOf = async () =>
    (await readPartitions(test.knex)).filter(({ name }) => name === partitionName("results", dayMs));

  async function makeFormerHours(hours: readonly number[]): Promise<void> {
    await test.knex.raw(`DROP TABLE ${partitionName("results", dayMs)}`);
    for (const hour of hours) {
      const fromMs = dayMs + hour * HOUR_MS;
      await test.knex.raw(
        `CREATE TABLE ${hourPartitionName(fromMs)} PARTITION OF results FOR VALUES FROM (${fromMs}) TO (${fromMs + HOUR_MS})`,
      );
    }
  }

  it("its hours become those of their day, without what it had copied", async () => {
    await makeFormerHours([0, 1, 2, 3, 4, 9]);
    await fill();
    await insertResult(test.knex, dayMs + 9 * HOUR_MS);
    await test.knex.raw(`CREATE TABLE merged_${partitionName("results", dayMs)} (LIKE results)`);
    const before = await see(test.knex);
    await ensurePartitions(test.knex, dayMs + 10 * HOUR_MS, dayMs + 10 * HOUR_MS);
    expect(await daysOf()).toEqual([]);
    // The first six hours are one part then; the day's other hours are there, those too that the release before had not made.
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await daysOf()).toEqual([expect.objectContaining({ parent: "results", isLeaf: false })]);
    expect(await listMergedTables(test.knex)).toEqual([]);
    expect(await see(test.knex)).toEqual(before);
    const left = await queryRows(
      test.knex,
      `SELECT 1 FROM pg_constraint WHERE contype = 'c' AND conname LIKE 'results_2%'`,
    );
    expect(left).toEqual([]);
  });

  it("waits for readers, and is gone on with", async () => {
    await makeFormerHours([0, 1]);
    await fill(2);
    const before = await see(test.knex);
    await readSnapshot(test.other, async (trx) => {
      await merge();
      expect(await daysOf()).toEqual([]);
      expect(await see(trx)).toEqual(before);
    });
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await see(test.knex)).toEqual(before);
  });

  it("a part that is a partition of results, as on Citus, is taken over, too", async () => {
    await fill();
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    await createPartitions(test.knex, { fromMs: dayMs, toMs: dayMs + PART_MS, hourlyFromMs: dayMs });
    await flattenPartitions(test.knex);
    expect(await daysOf()).toEqual([]);
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await daysOf()).toEqual([expect.objectContaining({ isLeaf: false })]);
    expect(await see(test.knex)).toEqual(before);
  });

  it("deletes no rows of other checks by their places, but nothing", async () => {
    await fill(2);
    const before = await see(test.knex);
    const day = partitionName("results", dayMs);
    await expect(
      test.knex.raw(
        `DELETE FROM ${day} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${day} WHERE check_key = 1 LIMIT 5000))`,
      ),
    ).rejects.toThrow(/deleted from its hours and parts/);
    expect(await see(test.knex)).toEqual(before);
    await test.knex("results").where({ checkKey: 1 }).delete();
    expect((await see(test.knex)).rows).toBeLessThan(before.rows);
  });

  it("a result that it stores late, with its own mark, is found", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    await test.knex.transaction(async (trx) => {
      await insertResult(trx, dayMs + 5);
      await trx("unmergedLateBuckets").insert({ bucketMs: dayMs });
      await trx("rollupDirtyBuckets").insert({ bucketMs: dayMs });
    });
    expect(await test.knex("lateHours").select("hourMs")).toEqual([{ hourMs: dayMs }]);
    const before = await see(test.knex);
    await mergeUntil(isSwitched);
    expect(await see(test.knex)).toEqual(before);
  });

  it("a result that this release stores late is marked for that one, too, for as long as it may merge the day", async () => {
    await makeFormerHours([0, 1]);
    const marks = () => test.knex("unmergedLateBuckets").select("bucketMs");
    await storeLate(test.knex, dayMs + 5);
    expect(await marks()).toEqual([{ bucketMs: dayMs }]);
    expect(await test.knex("lateResultBuckets").select("bucketMs")).toEqual([{ bucketMs: dayMs }]);
    await forgetSettledMarks(test.knex);
    expect(await marks()).toHaveLength(1);
    await mergeUntil(async () => (await marks()).length === 0);
    expect((await see(test.knex)).rows).toBe(1);
  });

  it("results that are stored without a mark on Citus are there after the way back", async () => {
    await fill(1);
    await mergeUntil(areCopied(HOURS), dayMs + PART_MS);
    await flattenPartitions(test.knex);
    await insertResult(test.knex, dayMs + 5 * MINUTE_MS + 1);
    const before = await see(test.knex);
    await mergeUntil(async () => (await partitions()).length === 19);
    expect(await see(test.knex)).toEqual(before);
  });

  it("finds all hours of the days that retention makes ahead", async () => {
    const nowMs = Date.now();
    await retain(test.knex, nowMs, KEPT);
    const leaves = await listLeaves(test.knex);
    for (const day of [dayOf(nowMs), dayOf(nowMs + 12 * HOUR_MS)])
      for (let hour = day; hour < day + DAY_MS; hour += HOUR_MS)
        expect(leaves).toContain(hourPartitionName(hour));
  });
});
