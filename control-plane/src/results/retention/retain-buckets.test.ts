import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import type pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aResult, aRollup, storeResults } from "../../../test-support/builders.ts";
import { createTestDatabase, isOnCitus, type TestDatabase } from "../../../test-support/database.ts";
import { countResults } from "../../alerting/slos/count-results.ts";
import { readSnapshot } from "../read-snapshot.ts";
import { bucketOf, hourOf } from "../rollups/buckets.ts";
import { listRollupTables, readBucketsFrom, readCut, rollupDayName } from "../rollups/days-store.ts";
import { rollUp } from "../rollups/roll-up.ts";
import { saveDroppedUntil } from "./dropped-store.ts";
import { dayOf, ensurePartitions } from "./partitions.ts";
import { retainBuckets } from "./retain-buckets.ts";

const todayMs = dayOf(Date.now());
const daysAgo = (days: number) => todayMs - days * DAY_MS;
/** Late on a day that has not ended, `days` after today. */
const late = (days: number) => daysAgo(-days) + 23 * HOUR_MS;

let database: TestDatabase;
let knex: Knex;
beforeEach(async () => {
  database = await createTestDatabase();
  knex = database.knex;
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

/** Runs the job late on a day, with results dropped of all days before the last `keptDays`. */
async function retainOn(day: number, keptDays = 30): Promise<void> {
  await computedUntil(late(day));
  await saveDroppedUntil(knex, daysAgo(keptDays - day));
  await retainBuckets(knex, late(day));
}

/** Counts the results of check 1 since an instant, as SLOs do. */
const countSince = async (fromMs: number) =>
  (await countResults(knex, [{ checkKey: 1, thresholdMs: null, fromMs, toMs: late(60) }]))[0]?.total;

describe("five minutes of a database of before", () => {
  it("stay where they are for two weeks, in which a release before may come back, and go then at once", async () => {
    const before = [370, 40, 2, 1, 0];
    await storeDays(before);
    for (let day = 0; day <= 14; day++) await retainOn(day);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([0, noons(before)]);
    const since = [-13, -14, -15, -16, -17];
    await storeDays(since);
    await retainOn(15);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([
      daysAgo(-14),
      noons([...before, ...since]),
    ]);
    await retainOn(16);
    expect(await storedBuckets()).toEqual(noons([...before, ...since]));
    await retainOn(17);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([
      daysAgo(-16),
      noons([-14, -15, -16, -17]),
    ]);
    await retainOn(18);
    expect(await storedBuckets()).toEqual(noons([-15, -16, -17]));
    expect(await storedBuckets(3_600)).toEqual(noons([...before, ...since]));
  });

  it("take rows of any day, also where a release before goes on for months, and none of them is lost then", async () => {
    await storeDays([1, 0]);
    await retainOn(0);
    await storeDays([-70, -71, -72]);
    for (const day of [71, 72]) await retainOn(day);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([
      daysAgo(-71),
      noons([-70, -71, -72]),
    ]);
    await retainOn(73);
    expect(await storedBuckets()).toEqual(noons([-70, -71, -72]));
    await retainOn(74);
    expect(await storedBuckets()).toEqual(noons([-71, -72]));
  });
});

describe("five minutes", () => {
  it("of a new database are counted for two days, and gone two days later", async () => {
    await retainOn(0);
    await storeDays([0, -1, -2, -3]);
    await retainOn(2);
    await retainOn(3);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([
      daysAgo(-2),
      noons([0, -1, -2, -3]),
    ]);
    await retainOn(4);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(-3), noons([-1, -2, -3])]);
  });

  it("stay until they are computed a day on", async () => {
    await retainOn(0);
    await storeDays([-1, -2]);
    await computedUntil(late(3));
    await retainBuckets(knex, late(9));
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(-2), noons([-1, -2])]);
  });

  it("are all that is left of some days where results are kept for a shorter time, and while they were", async () => {
    await retainOn(0, 7);
    await storeDays([-1, -2, -20, -39]);
    await retainOn(40, 7);
    await retainOn(40, 7);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(-9), noons([-20, -39])]);
    // Kept for 30 days from now on; what was dropped does not come back by a result that comes late.
    await ensurePartitions(knex, late(12), late(12));
    await retainOn(41, 30);
    expect(await readBucketsFrom(knex)).toBe(daysAgo(-10));
    await retainOn(63, 30);
    expect(await readBucketsFrom(knex)).toBe(daysAgo(-62));
  });

  it("never come back into force, whatever the setting becomes", async () => {
    await retainOn(0);
    await retainOn(5);
    await retainOn(5, 7);
    expect(await readBucketsFrom(knex)).toBe(daysAgo(-4));
  });

  it("that are gone are counted from results, also of one that comes late", async () => {
    await retainOn(0);
    const slots = [0, 7, 62, 8].map((minutes) => daysAgo(-1) + 12 * HOUR_MS + minutes * MINUTE_MS);
    const store = async (some: readonly number[]) => {
      await storeResults(
        knex,
        some.map((slotMs) => aResult({ checkKey: 1, locationKey: 1, slotMs })),
      );
      await knex("rollupDirtyBuckets").insert(some.map((slotMs) => ({ bucketMs: bucketOf(slotMs) })));
      await rollUp(knex, late(2));
    };
    const fromMs = slots[1] as number;
    await computedUntil(late(2));
    await store(slots.slice(0, 3));
    expect([await countSince(fromMs), (await storedBuckets()).length]).toEqual([2, 3]);
    for (const day of [4, 5]) await retainOn(day);
    expect([await countSince(fromMs), await storedBuckets()]).toEqual([2, []]);
    await store(slots.slice(3));
    expect([await countSince(fromMs), await storedBuckets()]).toEqual([3, []]);
    const hours = await knex("rollups").where({ bucketSeconds: 3_600 }).orderBy("bucketMs");
    expect(hours.map(({ successCount }) => successCount)).toEqual([3, 1]);
    // Of a day whose results were dropped, a late one says nothing about the rest.
    await saveDroppedUntil(knex, daysAgo(-2));
    await knex("results").delete();
    await store(slots.slice(0, 1));
    expect((await knex("rollups").orderBy("bucketMs")).map(({ successCount }) => successCount)).toEqual([
      3, 1,
    ]);
  });
});

describe.skipIf(isOnCitus)("tables of days", () => {
  const tables = async () => (await listRollupTables(knex)).filter((name) => name !== "rollups_1h");
  const named = (days: readonly number[]) => [
    "rollups_5m",
    ...days.map((day) => rollupDayName(daysAgo(-day))),
  ];
  const others = async () => (await knex("rollups_5m")).map(({ bucketMs }) => bucketMs);

  it("are there for the next three", async () => {
    await retainOn(0);
    expect(await tables()).toEqual(named([1, 2, 3, 4]));
    await retainOn(4);
    await retainOn(5);
    expect(await tables()).toEqual(named([2, 3, 4, 5, 6, 7, 8]));
  });

  it("are made in advance where rows of before would have to be read for each", async () => {
    await storeDays([1, 0]);
    await retainOn(0);
    const made = named(Array.from({ length: 46 }, (_, day) => day + 14));
    expect(await tables()).toEqual(made);
    await storeDays([-59, -60]);
    expect(await others()).toEqual(noons([1, 0, -60]));
    await knex("rollups")
      .where({ bucketMs: noons([-60])[0] })
      .delete();
    await retainOn(14);
    expect(await tables()).toEqual(made);
    for (const day of [15, 16, 17]) await retainOn(day);
    expect(await others()).toEqual([]);
  });

  it("are missed by no row: one of a day without a table is among the others, and is removed in its time", async () => {
    await retainOn(0);
    await storeDays([-4, -5, -6]);
    expect(await others()).toEqual(noons([-5, -6]));
    await knex.raw(
      "DELETE FROM rollups_5m WHERE ctid = ANY(ARRAY(SELECT ctid FROM rollups_5m WHERE bucket_ms < ? LIMIT 5000))",
      [daysAgo(400)],
    );
    for (const day of [6, 7]) await retainOn(day);
    expect(await storedBuckets()).toEqual(noons([-4, -5, -6]));
    await retainOn(8);
    expect(await storedBuckets()).toEqual(noons([-5, -6]));
    await retainOn(9);
    expect(await storedBuckets()).toEqual(noons([-6]));
    await retainOn(10);
    expect(await storedBuckets()).toEqual([]);
  });

  it("are made without reading the rows again where a reader was in the way", async () => {
    await storeDays([1, 0]);
    await computedUntil(late(0));
    const reader = await knex.transaction();
    await reader.raw("LOCK TABLE ONLY rollups IN ACCESS SHARE MODE");
    await expect(retainBuckets(knex, late(0))).rejects.toThrow(/lock timeout/);
    await reader.commit();
    const validated: string[] = [];
    knex.on(
      "query",
      ({ sql }: { sql: string }) => void (sql.includes("ADD CONSTRAINT") && validated.push(sql)),
    );
    await retainOn(1);
    expect([await readCut(knex), await storedBuckets(), validated]).toEqual([
      daysAgo(-14),
      noons([1, 0]),
      [],
    ]);
    await storeDays([-500]);
  });

  it("are not made while a reader holds the table of before, which takes rows of all days meanwhile", async () => {
    await storeDays([1, 0]);
    const reader = await knex.transaction();
    await reader("rollups").first();
    await computedUntil(late(0));
    await expect(retainBuckets(knex, late(0))).rejects.toThrow(/lock timeout/);
    await reader.commit();
    expect([await tables(), await readCut(knex)]).toEqual([["rollups_5m"], undefined]);
    await storeDays([-400]);
    await knex("rollups")
      .where({ bucketMs: noons([-400])[0] })
      .delete();
    await retainOn(0);
    expect([await readCut(knex), await storedBuckets()]).toEqual([daysAgo(-14), noons([1, 0])]);
  });

  it("are seen by a snapshot that is older", async () => {
    await storeDays([1, 0]);
    await readSnapshot(knex, async (trx) => {
      await trx("checks").first();
      await retainOn(0);
      expect(await trx("rollups").where({ bucketSeconds: 300 })).toHaveLength(2);
    });
  });

  it("are made while results come in and rollups go on", async () => {
    const slotMs = hourOf(Date.now()) - HOUR_MS;
    await storeResults(knex, [aResult({ checkKey: 1, locationKey: 1, slotMs })]);
    await computedUntil(slotMs);
    await Promise.all([
      retainBuckets(knex, Date.now()),
      rollUp(knex, Date.now()),
      ensurePartitions(knex, late(5), late(5)),
    ]);
    expect([await readCut(knex), await storedBuckets()]).toEqual([expect.any(Number), [slotMs]]);
  });

  it("other than those asked about are not read", async () => {
    await retainOn(0);
    await storeDays([-1]);
    await computedUntil(late(2));
    const asked: { sql: string; bindings: unknown[] }[] = [];
    knex.on("query", (query) => asked.push(query));
    const span = { fromMs: daysAgo(-2) + 5 * MINUTE_MS, toMs: daysAgo(-2) + 50 * MINUTE_MS };
    await countResults(knex, [{ checkKey: 1, thresholdMs: null, ...span }]);
    const statements = asked.filter(({ sql }) => sql.includes("r.bucket_seconds = 300"));
    const client = (await knex.client.acquireConnection()) as pg.Client;
    const plans = await Promise.all(
      statements.map(({ sql, bindings }) => client.query(`EXPLAIN ${sql}`, bindings)),
    );
    await knex.client.releaseConnection(client);
    const read = JSON.stringify(plans.map(({ rows }) => rows)).match(/(?<= on )rollups_5m\w*/g);
    expect([...new Set(read)]).toEqual([rollupDayName(daysAgo(-2))]);
  });
});
