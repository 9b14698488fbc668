/** Reads that look back in steps give the same answers as statements over all results, and lock few partitions at once. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../test-support/builders.ts";
import { isOnCitus } from "../../test-support/database.ts";
import { computePastRollups } from "../../test-support/past-rollups.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { readCheckStates } from "../live/store.ts";
import { readFailing, readNeverRan, readStanding } from "../overview/standing-store.ts";
import { queryRows } from "../platform/db/rows.ts";
import { readNewestRuns } from "../telemetry/certificates/store.ts";
import { rangeOfPage, readNeighbors, readPageKeys } from "./keys-store.ts";
import { newestRangeOf } from "./newest-range.ts";
import { newestRangeOfTeam } from "./newest-range-store.ts";
import { readOldestSlotMs } from "./oldest-slot-store.ts";
import { createPartitions, dayOf } from "./retention/partitions.ts";
import { hourOf } from "./rollups/buckets.ts";
import { type LocationSlot, readRecentResults } from "./store.ts";

const DAYS = 40;
const LOCATIONS = ["loc_us_east", "loc_us_west", "loc_eu_west"];
const nowMs = dayOf(Date.now()) + 13 * HOUR_MS + 7;

/** Checks with their periods in seconds, and the ages of their results in periods: from, to, and how many are left out between two. */
const CHECKS: { seconds: number; from: number; to: number; step: number; failsFor?: number }[] = [
  { seconds: 7, from: 0, to: 300, step: 1 },
  { seconds: 7, from: 40_000, to: 40_090, step: 3, failsFor: 40_050 },
  { seconds: 61, from: 2, to: 9_000, step: 200, failsFor: 4_000 },
  { seconds: 61, from: 25_000, to: 30_000, step: 1_000, failsFor: 99_999 },
  { seconds: 3_600, from: 1, to: 700, step: 20, failsFor: 300 },
  { seconds: 7_000, from: 3, to: 400, step: 9, failsFor: 99 },
  { seconds: 7_000, from: 18, to: 200, step: 2 },
  { seconds: 86_400, from: 0, to: 30, step: 1, failsFor: 3 },
  { seconds: 86_400, from: 12, to: 39, step: 4, failsFor: 99 },
  { seconds: 60, from: 0, to: 0, step: 1 },
  { seconds: 86_400, from: 0, to: 0, step: 1 },
];

interface Row extends LocationSlot {
  checkKey: number;
  status: number;
}

let test: TestApp;
let knex: Knex;
const keys: number[] = [];
let locationKeys: number[];
let rows: Row[];

beforeAll(async () => {
  test = await createTestApp({ register: (app, services) => registerCheckRoutes(app, services, []) });
  knex = test.services.knex;
  await seedHostedLocations(knex);
  locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(knex, id)));
  for (const [index, { seconds }] of CHECKS.entries()) {
    const { body } = await test.call(
      "POST",
      "/api/checks",
      aCheck({ name: `c${index}`, locations: LOCATIONS }),
    );
    const key = await keyOfCheck(knex, body.check.id);
    const createdAt = new Date(nowMs - 39 * DAY_MS + index);
    await knex("checks").where({ key }).update({ frequencySeconds: seconds, createdAt });
    keys.push(key);
  }
  await createPartitions(knex, { fromMs: nowMs - DAYS * DAY_MS, toMs: nowMs + DAY_MS });
  rows = CHECKS.flatMap(({ seconds, from, to, step, failsFor = -1 }, index) =>
    locationKeys.flatMap((locationKey, nth) =>
      Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step).map((age) => ({
        checkKey: keys[index] as number,
        locationKey,
        // At one location the results lie apart from the others'.
        slotMs: nowMs - age * seconds * 1_000 - (nth === 2 ? 1_500 : 0),
        status: age <= failsFor && nth !== 1 ? 2 : 1,
      })),
    ),
  ).filter(({ slotMs }) => slotMs >= nowMs - (DAYS - 1) * DAY_MS);
  await knex.batchInsert(
    "results",
    rows.map((row) => ({ ...row, runnerKey: 1, startDelayMs: 0, elapsedUs: 1, responseTimeUs: 1 })),
    2_000,
  );
  await knex.raw("ANALYZE results");
});
afterAll(() => test?.close());

/** The results of a check, newest slot first, then by location. */
const resultsOf = (key: number) =>
  rows
    .filter(({ checkKey }) => checkKey === key)
    .sort((a, b) => b.slotMs - a.slotMs || a.locationKey - b.locationKey);
const keyOf = ({ locationKey, slotMs }: LocationSlot) => ({ locationKey, slotMs });

it("the oldest day is that of the first partition", async () => {
  const [row] = await queryRows<{ oldest: number }>(knex, "SELECT min(slot_ms) AS oldest FROM results");
  expect(await readOldestSlotMs(knex)).toBeLessThanOrEqual(row?.oldest ?? 0);
  expect(await readOldestSlotMs(knex)).toBeLessThanOrEqual(dayOf(nowMs - DAYS * DAY_MS));
});

it("pages are those of all results, wherever they begin", async () => {
  for (const [index, { seconds: frequencySeconds }] of CHECKS.entries()) {
    const key = keys[index] as number;
    const all = resultsOf(key).map(keyOf);
    for (const [limit, offset] of [
      [1, 0],
      [50, 0],
      [7, 3],
      [20, 100],
      [3, 1_000],
    ] as const)
      for (const at of [undefined, 0, 4, Math.floor(all.length / 2), all.length - 1]) {
        const after = at === undefined ? undefined : all[at];
        const page = { limit, offset, after };
        const range = rangeOfPage({ frequencySeconds }, page, nowMs);
        const first = (after === undefined ? 0 : (at ?? 0) + 1) + offset;
        expect(await readPageKeys(knex, key, { ...page, ...range })).toEqual(all.slice(first, first + limit));
      }
  }
});

it("the neighbors of a result are those among all results", async () => {
  for (const key of keys) {
    const all = resultsOf(key);
    for (const at of [0, 1, 2, Math.floor(all.length / 2), all.length - 2, all.length - 1]) {
      const row = all[at];
      if (!row) continue;
      const there = all.filter(({ locationKey }) => locationKey === row.locationKey);
      const nth = there.indexOf(row);
      expect(await readNeighbors(knex, row, nowMs)).toEqual({
        previousMs: there[nth + 1]?.slotMs ?? null,
        nextMs: there[nth - 1]?.slotMs ?? null,
      });
    }
  }
});

it("the newest runs are those among all results", async () => {
  const asked = keys.flatMap((checkKey) => locationKeys.map((locationKey) => ({ checkKey, locationKey })));
  const runs = await readNewestRuns(knex, asked, nowMs);
  expect(runs.map((run) => run?.slotMs)).toEqual(
    asked.map(
      ({ checkKey, locationKey }) =>
        resultsOf(checkKey).find((row) => row.locationKey === locationKey)?.slotMs,
    ),
  );
});

it("checks that never ran are those without any result", async () => {
  expect(await readNeverRan(knex, keys, nowMs)).toEqual([
    expect.objectContaining({ name: "c9" }),
    expect.objectContaining({ name: "c10" }),
  ]);
});

/** The newest results of a check by location that count for how it stands. */
const recentOf = (index: number, count: number) =>
  locationKeys.flatMap((locationKey) =>
    resultsOf(keys[index] as number)
      .filter((row) => row.locationKey === locationKey)
      .slice(0, count)
      .filter(({ slotMs }) => slotMs >= nowMs - Math.max(DAY_MS, (CHECKS[index]?.seconds ?? 0) * 20_000))
      .map((row) => ({ checkKey: row.checkKey, locationKey, slotMs: row.slotMs, status: row.status })),
  );
const sorted = <Read extends LocationSlot & { checkKey: number }>(read: readonly Read[]) =>
  [...read].sort((a, b) => a.checkKey - b.checkKey || a.locationKey - b.locationKey || b.slotMs - a.slotMs);

it("how checks stand is shown by the same results, beside rare checks and alone", async () => {
  const { teamId } = test.team;
  const ids = await knex("checks").whereIn("key", keys).orderBy("key").pluck("id");
  for (const of of [undefined, ...ids.map((id) => [id]), ids.slice(2, 6), ids.slice(6)]) {
    const indexes = [...CHECKS.keys()].filter((index) => of === undefined || of.includes(ids[index]));
    const recent = await readRecentResults(knex, teamId, {
      after: undefined,
      rowsMax: 100,
      offset: 0,
      ids: of,
      count: 20,
      nowMs,
    } as never);
    const read = recent.flatMap(({ checkKey, locationKey, slotMs, status }) =>
      locationKey === null || slotMs === null ? [] : [{ checkKey, locationKey, slotMs, status }],
    );
    expect(sorted(read)).toEqual(sorted(indexes.flatMap((index) => recentOf(index, 20))));
    const states = await readCheckStates(knex, teamId, {
      after: undefined,
      ids: of,
      limit: 100,
      nowMs,
    } as never);
    const newest = states.flatMap(({ checkKey, locationKey, slotMs, status }) =>
      locationKey === null || slotMs === null ? [] : [{ checkKey, locationKey, slotMs, status }],
    ) as Row[];
    expect(sorted(newest)).toEqual(sorted(indexes.flatMap((index) => recentOf(index, 1))));
  }
});

/** The slot of the first result after the last success of a check at a location, or of its oldest result. */
function sinceOf(key: number, locationKey: number): number {
  const there = resultsOf(key).filter((one) => one.locationKey === locationKey);
  const success = there.findIndex(({ status }) => status === 1);
  return (success < 0 ? there.at(-1) : there[success - 1])?.slotMs ?? 0;
}

it("the overview counts and names the same checks, and since when they fail", async () => {
  const range = await newestRangeOfTeam(knex, test.team.teamId, nowMs);
  expect(range.rareFromMs).toBe(nowMs - 20 * DAY_MS);
  const standing = await readStanding(knex, test.team.teamId, { nowMs, range });
  const newest = CHECKS.map((_, index) => recentOf(index, 1));
  expect(standing.unknown).toBe(newest.filter((ofCheck) => ofCheck.length === 0).length);
  const failingKeys = newest
    .flatMap((ofCheck) => ofCheck.filter(({ status }) => status !== 1).slice(0, 1))
    .map(({ checkKey }) => checkKey);
  expect(standing.failing.map(({ key }) => key).sort((a, b) => a - b)).toEqual(failingKeys);
  const failing = await readFailing(knex, standing.failing, { nowMs, range });
  for (const row of failing) {
    const sinces = (standing.failing.find(({ key }) => key === row.key)?.locationKeys ?? []).map(
      (locationKey) => sinceOf(row.key, locationKey),
    );
    // Without rollups, only a success of the last hours is known; else the failure began with the oldest result.
    const oldest = Math.min(...resultsOf(row.key).map(({ slotMs }) => slotMs));
    expect([Math.min(...sinces), oldest]).toContain(row.sinceMs);
  }
});

it("a failure began after the last success, however long ago, once results are rolled up", async () => {
  await knex.transaction(async (trx) => {
    await trx.raw("SET LOCAL statement_timeout = 0");
    await computePastRollups(trx, { fromMs: dayOf(nowMs - DAYS * DAY_MS), toMs: hourOf(nowMs) });
  });
  const range = await newestRangeOfTeam(knex, test.team.teamId, nowMs);
  const { failing } = await readStanding(knex, test.team.teamId, { nowMs, range });
  const read = await readFailing(knex, failing, { nowMs, range });
  expect(read.length).toBeGreaterThan(3);
  for (const { key, sinceMs } of read) {
    const sinces = (failing.find((one) => one.key === key)?.locationKeys ?? []).map((locationKey) =>
      sinceOf(key, locationKey),
    );
    expect([key, sinceMs]).toEqual([key, Math.min(...sinces)]);
  }
});

it.skipIf(isOnCitus)("no statement locks the partitions of more than about a week", async () => {
  const most = await mostLocks(async (db) => {
    for (const key of [keys[0], keys[1], keys[9], keys[8]] as number[]) {
      const page = { limit: 50, offset: 0 };
      await readPageKeys(db, key, { ...page, ...rangeOfPage({ frequencySeconds: 86_400 }, page, nowMs) });
      await readNeverRan(db, [key], nowMs);
      const [row] = resultsOf(key);
      if (row) await readNeighbors(db, row, nowMs);
    }
  });
  const [all] = await queryRows<{ count: number }>(
    knex,
    "SELECT count(*)::integer AS count FROM pg_inherits WHERE inhparent = 'results'::regclass",
  );
  expect(all?.count).toBeGreaterThan(DAYS);
  // Eight days, each a table with its indexes, and the hours of today.
  expect(most).toBeLessThan(8 * 5 + 40 * 5);
});

/** Runs reads, each statement in a transaction of its own, and returns the most locks that one of them held. */
async function mostLocks(read: (db: Knex) => Promise<void>): Promise<number> {
  let most = 0;
  const explained: string[] = [];
  const listener = (query: { sql: string; bindings: unknown[] }) => {
    if (query.sql.includes("FROM results"))
      explained.push(knex.raw(query.sql.replace(/\$\d+/g, "?"), query.bindings as never).toString());
  };
  knex.on("query", listener);
  await read(knex);
  knex.off("query", listener);
  expect(explained.length).toBeGreaterThan(4);
  for (const statement of explained)
    await knex.transaction(async (trx) => {
      await trx.raw(`EXPLAIN ${statement}`);
      const [row] = await queryRows<{ count: number }>(
        trx,
        "SELECT count(*)::integer AS count FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'",
      );
      most = Math.max(most, row?.count ?? 0);
    });
  return most;
}

it.each([
  [60, null],
  [4_320, null],
  [4_321, 4_321 * 20_000],
  [86_400, 20 * DAY_MS],
])("of checks that run every %i s at most, rare ones are looked for %s ms back", (seconds, backMs) => {
  expect(newestRangeOf(seconds, nowMs)).toEqual({
    newestFromMs: nowMs - DAY_MS,
    newestToMs: nowMs + 60 * MINUTE_MS,
    rareFromMs: backMs === null ? null : nowMs - backMs,
  });
});
