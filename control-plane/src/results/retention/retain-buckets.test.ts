import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aResult, aRollup, storeResults } from "../../../test-support/builders.ts";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { countResults } from "../../alerting/slos/count-results.ts";
import { bucketOf, hourOf } from "../rollups/buckets.ts";
import { listRollupTables, readBucketsFrom, rollupDayName } from "../rollups/days-store.ts";
import { rollUp } from "../rollups/roll-up.ts";
import { dayOf, ensurePartitions } from "./partitions.ts";
import { retainBuckets } from "./retain-buckets.ts";

const todayMs = dayOf(Date.now());
/** Late on a day that has not ended. */
const nowMs = todayMs + 23 * HOUR_MS;
const KEPT = { retentionDays: 30 };
const daysAgo = (days: number) => todayMs - days * DAY_MS;

let database: TestDatabase;
let knex: Knex;
beforeEach(async () => {
  database = await createTestDatabase();
  knex = database.knex;
  await ensurePartitions(knex, daysAgo(32), nowMs);
});
afterEach(() => database.drop());

const computedUntil = (doneUntilMs: number) =>
  knex("jobProgress").insert({ job: "rollups", doneUntilMs }).onConflict("job").merge();
const storedBuckets = async (bucketSeconds = 300): Promise<number[]> =>
  (await knex("rollups").where({ bucketSeconds }).orderBy("bucketMs")).map(({ bucketMs }) => bucketMs);
/** Stores five minutes at noon, and the hour, of each day so many days ago. */
const storeDays = (days: readonly number[]) =>
  knex("rollups").insert(
    days.flatMap((ago) =>
      [300, 3_600].map((bucketSeconds) => aRollup({ bucketSeconds, bucketMs: daysAgo(ago) + 12 * HOUR_MS })),
    ),
  );
const noons = (days: readonly number[]) => days.map((ago) => daysAgo(ago) + 12 * HOUR_MS);

async function retainTwice(atMs = nowMs, kept = KEPT): Promise<void> {
  for (let run = 0; run < 2; run++) await retainBuckets(knex, atMs, kept);
}

describe("five minutes", () => {
  it("of today and yesterday stay, those before go with the run after the one that says so, and hours stay", async () => {
    await computedUntil(nowMs);
    await storeDays([400, 40, 3, 2, 1, 0]);
    await retainBuckets(knex, nowMs, KEPT);
    expect(await storedBuckets()).toEqual(noons([400, 40, 3, 2, 1, 0]));
    expect(await readBucketsFrom(knex)).toBe(daysAgo(1));
    await retainBuckets(knex, nowMs, KEPT);
    expect(await storedBuckets()).toEqual(noons([1, 0]));
    expect(await storedBuckets(3_600)).toEqual(noons([400, 40, 3, 2, 1, 0]));
  });

  it("stay until they are computed a day on, and before the first are", async () => {
    await storeDays([3, 2]);
    await retainTwice();
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([0, noons([3, 2])]);
    await computedUntil(daysAgo(1) + HOUR_MS);
    await retainTwice();
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(2), noons([2])]);
  });

  it("are all that is left of some days, and stay, where results were kept for a shorter time", async () => {
    await computedUntil(nowMs);
    await storeDays([40, 31, 30, 20, 1]);
    for (let ago = 10; ago <= 32; ago++)
      for (const table of ["results", "result_details"])
        await knex.raw(`DROP TABLE ${table}_${rollupDayName(daysAgo(ago)).slice(-8)}`);
    await retainTwice(nowMs, { retentionDays: 7 });
    expect(await storedBuckets()).toEqual(noons([31, 30, 20, 1]));
    await retainTwice(nowMs, KEPT);
    expect(await storedBuckets()).toEqual(noons([31, 30, 20, 1]));
    // Eleven days later the window that reaches furthest back begins after the five minutes that stood alone.
    const laterMs = nowMs + 11 * DAY_MS;
    await computedUntil(laterMs);
    await retainTwice(laterMs, KEPT);
    expect(await storedBuckets()).toEqual([]);
  });

  it("never come back into force, whatever the setting becomes", async () => {
    await computedUntil(nowMs);
    await retainTwice();
    await retainTwice(nowMs, { retentionDays: 7 });
    expect(await readBucketsFrom(knex)).toBe(daysAgo(1));
  });

  it("that are gone are counted from results, also of one that comes late", async () => {
    const slots = [0, 7, 62, 8].map((minutes) => daysAgo(4) + 12 * HOUR_MS + minutes * MINUTE_MS);
    const store = async (some: readonly number[]) => {
      await storeResults(
        knex,
        some.map((slotMs) => aResult({ checkKey: 1, locationKey: 1, slotMs })),
      );
      await knex("rollupDirtyBuckets").insert(some.map((slotMs) => ({ bucketMs: bucketOf(slotMs) })));
      await rollUp(knex, nowMs);
    };
    const question = { checkKey: 1, thresholdMs: null, fromMs: slots[1] as number, toMs: nowMs };
    const total = async () => (await countResults(knex, [question]))[0]?.total;
    await computedUntil(nowMs);
    await store(slots.slice(0, 3));
    expect([await total(), (await storedBuckets()).length]).toEqual([2, 3]);
    await retainTwice();
    expect([await total(), await storedBuckets()]).toEqual([2, []]);
    await store(slots.slice(3));
    expect([await total(), await storedBuckets()]).toEqual([3, []]);
    const hours = await knex("rollups").where({ bucketSeconds: 3_600 }).orderBy("bucketMs");
    expect(hours.map(({ successCount }) => successCount)).toEqual([3, 1]);
  });
});

describe.skipIf(isOnCitus)("tables of days", () => {
  const tables = async () => (await listRollupTables(knex)).filter((name) => name !== "rollups_1h");
  const others = async () => (await knex("rollups_5m")).map(({ bucketMs }) => bucketMs);

  it("are there for those kept and the next two, with their rows", async () => {
    await computedUntil(nowMs);
    await storeDays([1, 0]);
    await retainTwice();
    expect(await tables()).toEqual([
      "rollups_5m",
      ...[1, 0, -1, -2].map((ago) => rollupDayName(daysAgo(ago))),
    ]);
    expect(await others()).toEqual([]);
    await computedUntil(nowMs + 2 * DAY_MS);
    await retainTwice(nowMs + 2 * DAY_MS);
    expect(await tables()).toEqual([
      "rollups_5m",
      ...[-1, -2, -3, -4].map((ago) => rollupDayName(daysAgo(ago))),
    ]);
  });

  it("get the rows that a release before stored without one, and lose none to its deletions", async () => {
    await computedUntil(nowMs);
    await storeDays([0]);
    await retainTwice();
    await storeDays([-4]);
    expect(await others()).toEqual(noons([-4]));
    await knex.raw(
      "DELETE FROM rollups_5m WHERE ctid = ANY(ARRAY(SELECT ctid FROM rollups_5m WHERE bucket_ms < ? LIMIT 5000))",
      [daysAgo(400)],
    );
    const laterMs = nowMs + 3 * DAY_MS;
    await retainBuckets(knex, laterMs, KEPT);
    expect([await others(), await storedBuckets()]).toEqual([[], noons([0, -4])]);
  });

  it("are not made while a reader holds the table of before, and lose nothing by it", async () => {
    await computedUntil(nowMs);
    await storeDays([1, 0]);
    await retainBuckets(knex, nowMs, KEPT);
    const reader = await knex.transaction();
    await reader("rollups").first();
    await expect(retainBuckets(knex, nowMs, KEPT)).rejects.toThrow(/lock timeout/);
    await reader.commit();
    expect([await tables(), await storedBuckets()]).toEqual([["rollups_5m"], noons([1, 0])]);
    await retainBuckets(knex, nowMs, KEPT);
    expect([(await tables()).length, await storedBuckets()]).toEqual([5, noons([1, 0])]);
  });

  it("are made once by replicas that begin together, while rollups go on", async () => {
    const slotMs = nowMs - DAY_MS;
    await storeResults(knex, [aResult({ checkKey: 1, locationKey: 1, slotMs })]);
    await computedUntil(hourOf(slotMs));
    await retainBuckets(knex, nowMs, KEPT);
    await Promise.all([
      ...[1, 2, 3].map(() => retainBuckets(knex, nowMs, KEPT)),
      rollUp(knex, slotMs + 2 * HOUR_MS),
    ]);
    expect([(await tables()).length, await storedBuckets()]).toEqual([6, [bucketOf(slotMs)]]);
  });

  it("other than those asked about are not read", async () => {
    await computedUntil(nowMs);
    await retainTwice();
    const plan = await knex.raw(
      "EXPLAIN SELECT FROM rollups WHERE bucket_seconds = 300 AND check_key = 1 AND bucket_ms >= ? AND bucket_ms < ?",
      [nowMs - HOUR_MS, nowMs],
    );
    const read = JSON.stringify(plan.rows).match(/rollups_5m\w*?(?=_(pkey|bucket)|[ "])/g);
    expect([...new Set(read)]).toEqual([rollupDayName(todayMs)]);
  });
});
