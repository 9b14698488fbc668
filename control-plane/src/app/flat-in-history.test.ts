/**
 * What people and programs read most costs the same however much is stored. Three databases are asked the same: two with five times as
 * many checks as the third, of which one has results of two days only. The others have results of eight, or of as many days as
 * SVC_TEST_STORED_DAYS says, and all have hourly rollups of 30; SVC_TEST_STORED_CHECKS=23,1158 SVC_TEST_STORED_DAYS=30 compares 1 and
 * 3 million results with 50 million.
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
/** Days of results of the database that has few of them: as many as the longest of its reads asks for. */
const FEW_DAYS = 2;
const DAYS = 30;
const MINUTE_MS = 60_000;
const LOCATION = "loc_us_east";
/** Late today: as much as can be is not merged yet, and no table is so small that it is read as a whole. */
const nowMs = dayOf(Date.now()) + DAY_MS - 6 * MINUTE_MS;

/** An app whose first check is asked about. */
interface Stored {
  app: TestApp;
  checkId: string;
  sloId: string;
  /** The check's newest result. */
  resultId: string;
}

let fewChecks: Stored;
let fewDays: Stored;
let many: Stored;

beforeAll(async () => {
  fewChecks = await store({ checks: FEW, days: RESULT_DAYS });
  fewDays = await store({ checks: MANY, days: FEW_DAYS });
  many = await store({ checks: MANY, days: RESULT_DAYS });
}, 3_600_000);
afterAll(() => Promise.all([fewChecks, fewDays, many].map((stored) => stored?.app.close())));

async function store({ checks, days }: { checks: number; days: number }): Promise<Stored> {
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
  await addOtherChecks(app, checks - 1);
  await storeHistory(knex, {
    checks: Array.from({ length: checks }, (_, index) => ({
      key: checkKey + index,
      phaseMs: index === 0 ? phaseMs(check.id, 60) : Math.floor((index * MINUTE_MS) / checks),
    })),
    locationKey: await keyOfLocation(knex, LOCATION),
    nowMs,
    resultDays: days,
    rollupDays: DAYS,
  });
  const { results } = (await app.call("GET", `/api/checks/${check.id}/results?limit=1`)).body;
  return { app, checkId: check.id, sloId: slo.id, resultId: results[0].id };
}

/** Adds checks like the first one, of another team, with the keys that follow: the hours of checks that exist are put in order. */
async function addOtherChecks(app: TestApp, count: number): Promise<void> {
  const { teamId } = await app.createTeam();
  const copied = "name, type, config, frequency_seconds, location_ids, enabled, revision";
  await app.services.knex.raw(
    `WITH others AS (
       INSERT INTO checks (id, team_id, ${copied})
       SELECT 'chk_' || n, ?, ${copied} FROM checks, generate_series(1, ?::integer) n RETURNING key
     )
     INSERT INTO check_revisions (check_key, revision, frequency_seconds, location_keys, enabled, effective_from_ms)
     SELECT others.key, r.revision, r.frequency_seconds, r.location_keys, r.enabled, r.effective_from_ms FROM others, check_revisions r`,
    [teamId, count],
  );
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
 * Rows of today that a read finds at most before they are merged, or put in order: results of six hours and a little more, of the newest
 * hour, and rollups. They lie as they came, those of all checks among each other: the more checks there are, the fewer rows of one check
 * share a page, down to one.
 */
const [NEWEST_PART, NEWEST_HOUR, NEWEST_ROLLUPS, NEWEST_OF_HEALTH] = [400, 60, 40, 20];

type Read = [name: string, url: (stored: Stored) => string, newestRows: number];

/** Reads of a day at most, and of what is kept as rollups. */
const READS: Read[] = [
  ["the check", ({ checkId }) => `/api/checks/${checkId}`, 0],
  ["its newest results", ({ checkId }) => `/api/checks/${checkId}/results?limit=50`, 0],
  ["one result", ({ checkId, resultId }) => `/api/checks/${checkId}/results/${resultId}`, 0],
  ["the health of the team's checks", () => "/api/checks/health", NEWEST_OF_HEALTH],
  ["its coverage of a day", ({ checkId }) => `/api/checks/${checkId}/coverage?range=24h`, NEWEST_PART],
  ["its series of a day", ({ checkId }) => `/api/checks/${checkId}/series?${since(1)}`, NEWEST_PART],
  ["its series of 30 days", ({ checkId }) => `/api/checks/${checkId}/series?${since(30)}`, NEWEST_HOUR],
  ["the status of its SLO", ({ sloId }) => `/api/slos/${sloId}/status`, NEWEST_ROLLUPS],
  ["the feed of the check", ({ checkId }) => `/api/events?checkId=${checkId}&limit=50`, NEWEST_HOUR],
  ["the feed of the team", () => "/api/events?limit=50", NEWEST_HOUR],
];
/** Asks for more days of results than one of the databases has. */
const READ_OF_A_WEEK: Read = [
  "its coverage of a week",
  ({ checkId }) => `/api/checks/${checkId}/coverage?range=7d`,
  NEWEST_PART,
];

/** Compares what a read costs where little and where much is stored. */
async function compare(small: Stored, [name, url, newestRows]: Read): Promise<void> {
  const [less, more] = [await costOf(small, url(small)), await costOf(many, url(many))];
  if (process.env.SVC_TEST_STORED_CHECKS) console.log(name, less.pages, more.pages);
  expect(more.ways).toEqual(less.ways);
  expect(more.ways.filter((way) => way.startsWith("whole"))).toEqual([]);
  expect(less.pages).toBeGreaterThan(0);
  expect(more.pages).toBeLessThanOrEqual(less.pages * FLAT + newestRows);
}

// What is counted are the pages that one server reads.
describe.skipIf(isOnCitus)("with results of the same checks for many more days", () => {
  it.each(READS)("%s is read by the same indexes, and from as many pages", (name, url) =>
    compare(fewDays, [name, url, 0]),
  );
});

describe.skipIf(isOnCitus)("with five times as many checks", () => {
  it.each([...READS, READ_OF_A_WEEK])(
    "%s is read by the same indexes, and from as many pages but for rows that are not merged yet",
    (...read) => compare(fewChecks, read),
  );
});
