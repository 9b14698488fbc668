/**
 * What people and programs read most costs the same however much is stored: two databases, one with five times as many checks as
 * the other, are asked the same. Both have hourly rollups of 30 days and results of eight, or of as many days as
 * SVC_TEST_STORED_DAYS says; SVC_TEST_STORED_CHECKS=23,1158 SVC_TEST_STORED_DAYS=30 compares 1 with 50 million results.
 */
import { DAY_MS, phaseMs } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, createTestClock, type TestApp } from "../../test-support/app.ts";
import { aCheck, keyOfCheck, keyOfLocation } from "../../test-support/builders.ts";
import { isOnCitus } from "../../test-support/database.ts";
import { storeHistory } from "../../test-support/stored-history.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerCoverageRoutes } from "../results/coverage/routes.ts";
import { dayOf } from "../results/retention/partitions.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { registerSeriesRoutes } from "../results/series/routes.ts";
import { registerEventRoutes } from "../telemetry/feed/routes.ts";

/** Checks, each with a result a minute, of the two databases. */
const [FEW, MANY] = (process.env.SVC_TEST_STORED_CHECKS ?? "20,100").split(",").map(Number) as [
  number,
  number,
];
const RESULT_DAYS = Number(process.env.SVC_TEST_STORED_DAYS ?? 8);
const DAYS = 30;
const MINUTE_MS = 60_000;
const LOCATION = "loc_us_east";
/** Late today, so that each hour of today has its table, and no table is so small that it is read as a whole. */
const nowMs = dayOf(Date.now()) + DAY_MS - 6 * MINUTE_MS;

/** An app whose first check is asked about. */
interface Stored {
  app: TestApp;
  checkId: string;
  sloId: string;
}

let few: Stored;
let many: Stored;

beforeAll(async () => {
  few = await store(FEW);
  many = await store(MANY);
}, 3_600_000);
afterAll(() => Promise.all([few?.app.close(), many?.app.close()]));

async function store(checks: number): Promise<Stored> {
  const app = await createTestApp({
    clock: createTestClock(nowMs),
    register: (api, services) => {
      registerCheckRoutes(api, services, []);
      registerResultRoutes(api, services);
      registerCoverageRoutes(api, services);
      registerSeriesRoutes(api, services);
      registerSloRoutes(api, services);
      registerEventRoutes(api, services);
    },
  });
  const { knex } = app.services;
  await seedHostedLocations(knex);
  const { check } = (await app.call("POST", "/api/checks", aCheck({ frequencySeconds: 60 }))).body;
  const objective = { name: "Availability", checkId: check.id, targetBasisPoints: 9_900, windowDays: 30 };
  const { slo } = (await app.call("POST", "/api/slos", objective)).body;
  const checkKey = await keyOfCheck(knex, check.id);
  await knex("checks")
    .where({ key: checkKey })
    .update({ createdAt: new Date(nowMs - (DAYS + 1) * DAY_MS) });
  await knex("checkRevisions")
    .where({ checkKey })
    .update({ effectiveFromMs: nowMs - (DAYS + 1) * DAY_MS });
  await storeHistory(knex, {
    checks: Array.from({ length: checks }, (_, index) => ({
      key: checkKey + index,
      phaseMs: index === 0 ? phaseMs(check.id, 60) : Math.floor((index * MINUTE_MS) / checks),
    })),
    locationKey: await keyOfLocation(knex, LOCATION),
    nowMs,
    resultDays: RESULT_DAYS,
    rollupDays: DAYS,
  });
  return { app, checkId: check.id, sloId: slo.id };
}

/** How a read ran: by which index each table of results was read, and how many pages of tables and indexes it touched. */
interface Cost {
  ways: string[];
  pages: number;
}

async function costOf({ app }: Stored, url: string): Promise<Cost> {
  const { knex } = app.services;
  const statements: { sql: string; bindings?: unknown[] }[] = [];
  const listener = (asked: { sql: string; bindings?: unknown[] }) => {
    if (/\b(FROM|JOIN) (results|rollups|performance_rollups|result_details|alert_events)\b/.test(asked.sql))
      statements.push(asked);
  };
  knex.on("query", listener);
  const { status } = await app.call("GET", url);
  knex.off("query", listener);
  expect(status).toBe(200);
  const cost: Cost = { ways: [], pages: 0 };
  const client = await knex.client.acquireRawConnection();
  for (const { sql, bindings } of statements) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${sql}`, bindings);
    const lines = rows.map((row: Record<string, string>) => row["QUERY PLAN"] as string);
    // The first figures of a plan are those of its root, which includes all below it.
    const buffers = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(lines.join("\n"));
    cost.pages += Number(buffers?.[1] ?? 0) + Number(buffers?.[2] ?? 0);
    cost.ways.push(...waysOf(lines));
  }
  await client.end();
  return cost;
}

const since = (days: number) => `from=${new Date(nowMs - days * DAY_MS).toISOString()}`;

/** The indexes by which a plan reads results and rollups, or "whole table"; an index scan by way of a bitmap counts as one. */
function waysOf(plan: readonly string[]): string[] {
  const ways = plan.flatMap((line) => {
    const whole = /Seq Scan on ((?:results|rollups)_\w+)/.exec(line);
    const index = /Index (?:Only )?Scan(?: Backward)? (?:using|on) ((?:results|rollups)_\w+)/.exec(line);
    return whole ? [`whole table ${whole[1]}`] : index ? [`index ${index[1]}`] : [];
  });
  return [...new Set(ways)].sort();
}

/** Times as many pages as a read may touch. */
const FLAT = 1.2;
/**
 * Rows of today that a read finds at most: results, rollups of 5 minutes and hours. They lie as they came, those of all checks among
 * each other, until the day is merged: the more checks there are, the fewer rows of one check share a page, down to one.
 */
const [RESULTS_OF_TODAY, NEWEST_RESULTS, BUCKETS_OF_TODAY] = [1_440, 60, 100];

// What is counted are the pages that one server reads.
describe.skipIf(isOnCitus)("with five times as many results stored", () => {
  it.each([
    ["the check", 0, (s: Stored) => `/api/checks/${s.checkId}`],
    ["its newest results", 0, (s: Stored) => `/api/checks/${s.checkId}/results?limit=50`],
    ["its coverage of a day", RESULTS_OF_TODAY, (s: Stored) => `/api/checks/${s.checkId}/coverage?range=24h`],
    ["its coverage of a week", RESULTS_OF_TODAY, (s: Stored) => `/api/checks/${s.checkId}/coverage?range=7d`],
    ["its series of a day", RESULTS_OF_TODAY, (s: Stored) => `/api/checks/${s.checkId}/series?${since(1)}`],
    ["its series of 30 days", NEWEST_RESULTS, (s: Stored) => `/api/checks/${s.checkId}/series?${since(30)}`],
    ["the status of its SLO", BUCKETS_OF_TODAY, (s: Stored) => `/api/slos/${s.sloId}/status`],
    ["the feed of the check", NEWEST_RESULTS, (s: Stored) => `/api/events?checkId=${s.checkId}&limit=50`],
    ["the feed of the team", NEWEST_RESULTS, () => "/api/events?limit=50"],
  ])(
    "%s is read by the same indexes, and from as many pages but for %d rows of today",
    async (name, rowsOfToday, url) => {
      const [small, large] = [await costOf(few, url(few)), await costOf(many, url(many))];
      if (process.env.SVC_TEST_STORED_CHECKS) console.log(name, small.pages, large.pages);
      expect(large.ways).toEqual(small.ways);
      expect(large.ways.filter((way) => way.startsWith("whole"))).toEqual([]);
      expect(small.pages).toBeGreaterThan(0);
      expect(large.pages).toBeLessThanOrEqual(small.pages * FLAT + rowsOfToday);
    },
  );
});
