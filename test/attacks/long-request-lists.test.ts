/** Teams whose failing runs list as many requests as a result may, in texts that the database compresses to almost nothing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { detectCorrelations } from "../../control-plane/src/telemetry/correlation/detect.ts";
import { readFailingRuns, readUsualRequests } from "../../control-plane/src/telemetry/correlation/store.ts";
import { createTestDatabase, type TestDatabase } from "../../control-plane/test-support/database.ts";
import { setTelemetryStage, type TelemetryStage } from "../../control-plane/test-support/telemetry.ts";

const MIB = 1024 * 1024;
/** Bounds of what is read at once: of one team, and of all. */
const TEAM_BYTES_MAX = 4 * MIB;
const ALL_BYTES_MAX = 32 * MIB;
/** Agents send details of at most 240 KiB. */
const LONG_LIST = aList("https://www.shop.example.com/", 220);
const LONG_LIST_BYTES = JSON.stringify(LONG_LIST).length;

/** Returns a page and requests of one failing third party, all of 1,000 characters. */
function aList(url: string, count: number) {
  const request = {
    method: "GET",
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 12,
    responseBytes: null,
  };
  const page = { ...request, url, resourceType: "document", httpStatusCode: 200 };
  const failed = { ...request, resourceType: "script", httpStatusCode: 503 };
  const long = `https://cdn.example.net/${"x".repeat(800)}`;
  return [page, ...Array.from({ length: count }, () => ({ ...failed, url: long }))];
}

async function aTeamWithRuns(database: TestDatabase, { checks, runs }: { checks: number; runs: number }) {
  const stage = await setTelemetryStage(database.knex);
  await stage.set({ endpoint: "http://127.0.0.1:9/" });
  for (let nth = 0; nth < checks; nth++) {
    const check = await stage.aCheck({ type: "browser" });
    const detail = { networkRequestsJson: LONG_LIST };
    await stage.store([
      { check, status: 1, detail },
      ...Array.from({ length: runs }, () => ({ check, status: 2, detail })),
    ]);
  }
  return stage;
}

let database: TestDatabase;
const hostile: TelemetryStage[] = [];
let neighbour: TelemetryStage;
const nowMs = Date.now();
const slots = { fromMs: nowMs - 86_400_000, nowMs };
const readSince = () => readFailingRuns(database.knex, new Date(nowMs - 600_000), slots);
const bytesOf = (rows: readonly { requests: unknown }[]) =>
  rows.reduce((sum, { requests }) => sum + JSON.stringify(requests).length, 0);

beforeAll(async () => {
  database = await createTestDatabase();
  neighbour = await aTeamWithRuns(database, { checks: 2, runs: 1 });
  for (let nth = 0; nth < 10; nth++) hostile.push(await aTeamWithRuns(database, { checks: 20, runs: 2 }));
});
afterAll(() => database?.drop());

it("the lists take a few pages of the database's disk, and hundreds of times that in memory", async () => {
  const { rows } = await database.knex.raw(
    "SELECT sum(pg_column_size(detail)) AS stored, count(*) AS count FROM result_details",
  );
  expect(Number(rows[0].count) * LONG_LIST_BYTES).toBeGreaterThan(3 * ALL_BYTES_MAX);
  expect(Number(rows[0].stored)).toBeLessThan(ALL_BYTES_MAX / 8);
});

it("failing runs are read up to a number of bytes of each team and of all, and everybody's newest come first", async () => {
  const rows = await readSince();
  expect(bytesOf(rows)).toBeLessThanOrEqual(ALL_BYTES_MAX);
  for (const { team } of hostile) {
    const own = rows.filter(({ teamId }) => teamId === team.id);
    expect(own.length).toBeGreaterThan(5);
    expect(bytesOf(own)).toBeLessThanOrEqual(TEAM_BYTES_MAX);
  }
  expect(rows.filter(({ teamId }) => teamId === neighbour.team.id)).toHaveLength(2);
});

it("so are the last successes that they are compared with", async () => {
  const rows = await readUsualRequests(database.knex, await readSince(), slots);
  expect(bytesOf(rows)).toBeLessThanOrEqual(ALL_BYTES_MAX);
  const keys = await database.knex("checks").where({ teamId: neighbour.team.id }).pluck("key");
  expect(rows.filter(({ checkKey }) => keys.map(Number).includes(checkKey))).toHaveLength(2);
});

it("the neighbour's correlation is found", async () => {
  await detectCorrelations(database.knex, nowMs);
  const events = await database.knex("derivedEvents").where({ teamId: neighbour.team.id });
  expect(events.map(({ name }) => name)).toEqual(["synthetics.correlation.detected"]);
});
