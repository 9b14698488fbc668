/** Distributing the tables of a database. On Citus where SVC_TEST_CITUS_URL names a coordinator; docs/citus.md says how to have one. */
import { randomBytes } from "node:crypto";
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { aRollup } from "../../../test-support/builders.ts";
import { dropCitusDatabase, makeEmptyCitusDatabase, withDatabase } from "../../../test-support/citus.ts";
import { createTestDatabase, isOnCitus } from "../../../test-support/database.ts";
import { copyChecks, createMergedTable, readHourProgress } from "../../results/merge/store.ts";
import {
  createPartitions,
  dayOf,
  ensurePartitions,
  readPartitions,
} from "../../results/retention/partitions.ts";
import { divideByDay, listRollupTables } from "../../results/rollups/days-store.ts";
import {
  distributeTables,
  distributeWhenNew,
  flattenPartitions,
  gatherFiveMinuteRollups,
  isDistributed,
  removeUnfinishedMerges,
} from "./distribute.ts";
import { engineOf, learnEngine } from "./engine.ts";
import { listMergedTables } from "./merged-tables.ts";
import { migrate } from "./migrate.ts";
import { openPool } from "./pool.ts";

it.each([
  ["results", true],
  ["results_20260301", true],
  ["results_2026030107", true],
  ["results_20260301_06_12", true],
  ["rollups_5m", true],
  ["rollups_1h", true],
  ["result_details_20260301", true],
  ["results_of_something", false],
  ["missed_slots", false],
  ["checks", false],
])("the table %s is distributed: %s", (table, isSo) => expect(isDistributed(table)).toBe(isSo));

it.skipIf(isOnCitus)(
  "a server without Citus is refused, and a new database on it stays as it is",
  async () => {
    const database = await createTestDatabase();
    try {
      await expect(distributeTables(database.url)).rejects.toThrow(/no extension citus/);
      await distributeWhenNew(database.url);
      expect(await learnEngine(database.knex)).toBe("postgres");
    } finally {
      await database.drop();
    }
  },
);

it.skipIf(isOnCitus)("days that are partitioned by the hour become as flat as Citus has them", async () => {
  const { knex, drop } = await createTestDatabase();
  try {
    const dayMs = dayOf(Date.now()) - 2 * DAY_MS;
    await createPartitions(knex, { fromMs: dayMs, toMs: dayMs + 2 * HOUR_MS, hourlyFromMs: dayMs });
    await ensurePartitions(knex, dayMs - DAY_MS, dayMs - DAY_MS);
    await insertResults(knex, [dayMs - 1, dayMs, dayMs + 2 * HOUR_MS]);
    await flattenPartitions(knex);
    await flattenPartitions(knex);
    const partitions = (await readPartitions(knex)).filter(({ name }) => name.startsWith("results_2"));
    expect(partitions.map(({ parent, isLeaf }) => [parent, isLeaf])).toEqual(
      Array(4).fill(["results", true]),
    );
    expect(await knex("results")).toHaveLength(3);
    // More hours of the day go where those are that it has.
    await ensurePartitions(knex, dayMs + 4 * HOUR_MS, dayMs + 4 * HOUR_MS);
    expect(await readPartitions(knex)).toHaveLength(partitions.length + 3);
  } finally {
    await drop();
  }
});

it.skipIf(isOnCitus)("five minutes that lie by the day become one table", async () => {
  const { knex, drop } = await createTestDatabase();
  try {
    const dayMs = dayOf(Date.now());
    await divideByDay(knex, { cutMs: dayMs - DAY_MS, untilMs: dayMs });
    const buckets = [dayMs - 9 * DAY_MS, dayMs - DAY_MS, dayMs].map((bucketMs) => aRollup({ bucketMs }));
    await knex("rollups").insert([...buckets, aRollup({ bucketMs: dayMs, bucketSeconds: 3_600 })]);
    const tables = async () => [
      await listRollupTables(knex),
      await knex("rollups").orderBy(["bucketSeconds", "bucketMs"]),
    ];
    const [divided, rows] = await tables();
    expect(divided).toHaveLength(4);
    for (let time = 0; time < 2; time++) {
      await gatherFiveMinuteRollups(knex);
      await flattenPartitions(knex);
      expect(await tables()).toEqual([["rollups_1h", "rollups_5m"], rows]);
    }
    await expect(knex("rollups").insert(aRollup({ bucketMs: dayMs }))).rejects.toThrow(/duplicate key/);
  } finally {
    await drop();
  }
});

it.skipIf(isOnCitus)(
  "merges that were under way leave no copies and no progress, and their results stay",
  async () => {
    const { knex, drop } = await createTestDatabase();
    try {
      const dayMs = dayOf(Date.now()) - 2 * DAY_MS;
      await createPartitions(knex, { fromMs: dayMs, toMs: dayMs + 2 * HOUR_MS, hourlyFromMs: dayMs });
      await insertResults(knex, [dayMs, dayMs + HOUR_MS]);
      await createMergedTable(knex, dayMs);
      await readHourProgress(knex, dayMs);
      await copyChecks(knex, { hourMs: dayMs });
      await knex("lateResultBuckets").insert({ bucketMs: dayMs });
      await knex("unmergedLateBuckets").insert({ bucketMs: dayMs + HOUR_MS });
      expect(await listMergedTables(knex)).toHaveLength(1);
      await removeUnfinishedMerges(knex);
      await removeUnfinishedMerges(knex);
      expect(await listMergedTables(knex)).toEqual([]);
      for (const table of ["copiedHours", "lateResultBuckets", "mergedHours", "unmergedLateBuckets"])
        expect(await knex(table), table).toEqual([]);
      expect((await knex("results").orderBy("slotMs")).map(({ slotMs }) => slotMs)).toEqual([
        dayMs,
        dayMs + HOUR_MS,
      ]);
    } finally {
      await drop();
    }
  },
);

/** Stores a result of check 1 for each of the slots. */
async function insertResults(knex: Knex, slotsMs: readonly number[]): Promise<void> {
  for (const slotMs of slotsMs)
    await knex("results").insert({
      checkKey: 1,
      locationKey: 1,
      slotMs,
      runnerKey: 1,
      startDelayMs: 0,
      elapsedUs: 1,
      responseTimeUs: 1,
      status: 1,
    });
}

describe.skipIf(!isOnCitus)("on Citus (set SVC_TEST_CITUS_URL, see docs/citus.md)", () => {
  let name: string;
  let url: string;
  beforeEach(async () => {
    name = `svc_test_${process.pid}_${randomBytes(4).toString("hex")}`;
    url = withDatabase(inject("testPostgresUrl"), name);
    await makeEmptyCitusDatabase(inject("testPostgresUrl"), name);
    await migrate(url);
  });
  afterEach(() => dropCitusDatabase(inject("testPostgresUrl"), name));

  async function using<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    const knex = openPool(url, { poolMax: 2 });
    try {
      await learnEngine(knex);
      return await work(knex);
    } finally {
      await knex.destroy();
    }
  }

  it("a new database is distributed at the first start, and stays as it is at those that follow", async () => {
    await distributeWhenNew(url);
    await distributeWhenNew(url);
    expect(await using(async (knex) => engineOf(knex))).toBe("citus");
  });

  it("one with results is not until the command, which takes the results along and can be repeated", async () => {
    const slotMs = Date.UTC(2026, 2, 1);
    await using(async (knex) => {
      await ensurePartitions(knex, slotMs, slotMs);
      await knex.raw(
        `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
         SELECT n, 1, ?, 1, 0, 1, 1, 1 FROM generate_series(1, 40) n`,
        [slotMs],
      );
      await createMergedTable(knex, slotMs);
      await readHourProgress(knex, slotMs);
    });
    await distributeWhenNew(url);
    expect(await using(async (knex) => engineOf(knex))).toBe("postgres");
    expect(await distributeTables(url)).toContain("results");
    const stored = await using(async (knex) => {
      expect(engineOf(knex)).toBe("citus");
      expect([...(await listMergedTables(knex)), ...(await knex("copiedHours"))]).toEqual([]);
      return knex("results").where({ slotMs }).select("checkKey");
    });
    expect(stored).toHaveLength(40);
    expect(await distributeTables(url)).toEqual([]);
    await distributeWhenNew(url);
  });

  it("a database that a replica uses is refused", async () => {
    await using(async () => {
      await expect(distributeTables(url)).rejects.toThrow(/stop all replicas/);
    });
  });
});
