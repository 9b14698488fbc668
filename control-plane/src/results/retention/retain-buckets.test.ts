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
  it("stay where they are for a week, in which a release before may come back, and go then at once", async () => {
    await storeDays([400, 40, 2, 1, 0]);
    for (let day = 0; day <= 7; day++) await retainOn(day);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([0, noons([400, 40, 2, 1, 0])]);
    await storeDays([-6, -7, -8, -9]);
    await retainOn(8);
    expect(await readBucketsFrom(knex)).toBe(daysAgo(-7));
    expect(await storedBuckets()).toEqual(noons([400, 40, 2, 1, 0, -6, -7, -8, -9]));
    await retainOn(9);
    expect(await storedBuckets()).toEqual(noons([-7, -8, -9]));
    await retainOn(10);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(-9), noons([-8, -9])]);
    expect(await storedBuckets(3_600)).toEqual(noons([400, 40, 2, 1, 0, -6, -7, -8, -9]));
  });
});

describe("five minutes", () => {
  it("of a new database are counted for two days, and gone a day later", async () => {
    await retainOn(0);
    await storeDays([0, -1, -2, -3]);
    await retainOn(2);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([
      daysAgo(-1),
      noons([0, -1, -2, -3]),
    ]);
    await retainOn(3);
    expect([await readBucketsFrom(knex), await storedBuckets()]).toEqual([daysAgo(-2), noons([-1, -2, -3])]);
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
    expect(await tables()).toEqual(named([2, 3, 4, 5, 6, 7]));
  });

  it("are there for a month where rows of before lie beside them, of which none is read for that", async () => {
    await storeDays([1, 0]);
    await retainOn(0);
    expect(await tables()).toEqual(named(Array.from({ length: 32 }, (_, day) => day + 7)));
    await expect(knex("rollups").insert(aRollup({ bucketMs: daysAgo(-39) }))).rejects.toThrow(
      /rollups_5m_before_cut/,
    );
    await knex("rollups").insert(aRollup({ bucketMs: daysAgo(-38) }));
    const notices = await knex.transaction(async (trx) => {
      const heard: string[] = [];
      const client = (await trx.client.acquireConnection()) as pg.Client;
      client.on("notice", ({ message }) => heard.push(String(message)));
      await trx.raw("SET LOCAL client_min_messages = debug1");
      await trx.raw(`CREATE TABLE rollups_5m_later (LIKE rollups INCLUDING CONSTRAINTS)`);
      await trx.raw(
        `ALTER TABLE rollups_5m_by_day ATTACH PARTITION rollups_5m_later FOR VALUES FROM (${daysAgo(-39)}) TO (${daysAgo(-40)})`,
      );
      return heard;
    });
    expect(notices.join()).toMatch(/default partition "rollups_5m" is implied by existing constraints/);
  });

  it("are missed by no row: one of a day without a table has its place among the others, and is removed in its time", async () => {
    await retainOn(0);
    await storeDays([-4, -5, -6]);
    expect(await others()).toEqual(noons([-5, -6]));
    await knex.raw(
      "DELETE FROM rollups_5m WHERE ctid = ANY(ARRAY(SELECT ctid FROM rollups_5m WHERE bucket_ms < ? LIMIT 5000))",
      [daysAgo(400)],
    );
    await retainOn(6);
    expect(await storedBuckets()).toEqual(noons([-4, -5, -6]));
    await retainOn(7);
    expect(await storedBuckets()).toEqual(noons([-5, -6]));
    await retainOn(8);
    expect(await storedBuckets()).toEqual(noons([-6]));
    await retainOn(9);
    expect(await storedBuckets()).toEqual([]);
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
    expect([await readCut(knex), await storedBuckets()]).toEqual([daysAgo(-7), noons([1, 0])]);
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
