import {
  type Check,
  DAY_MS,
  HOUR_MS,
  type LocationId,
  MINUTE_MS,
  type Series,
  STATUS_CODES,
} from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { rollUp } from "../rollups/roll-up.ts";
import { registerSeriesRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west"] as LocationId[];
let test: TestApp;
let east: number;
let west: number;
let check: Check & { key: number };
let nowMs: number;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerSeriesRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  east = await keyOfLocation(test.services.knex, "loc_us_east");
  west = await keyOfLocation(test.services.knex, "loc_us_west");
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.services.knex("jobProgress").del();
  const wanted = aCheck({ locations: LOCATIONS, frequencySeconds: 60, enabled: false });
  const { body } = await test.call("POST", "/api/checks", wanted);
  check = { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
  nowMs = test.clock.nowMs();
});

async function seriesOf(hours: number, query = ""): Promise<Series> {
  const from = new Date(nowMs - hours * HOUR_MS).toISOString();
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/series?from=${from}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Stores a result per minute from an instant on, each of its own response time in ms. */
const store = (fromMs: number, timesMs: readonly number[], locationKey = east, overrides: object = {}) =>
  storeResults(
    test.services.knex,
    timesMs.map((ms, i) =>
      aResult(
        { checkKey: check.key, locationKey, slotMs: fromMs + i * MINUTE_MS },
        { responseTimeUs: ms * 1000, dnsLookupUs: 1_000, ttfbUs: 10_000, ...overrides },
      ),
    ),
  );

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe("the figures of the whole range", () => {
  it("are those of all results, not means of the buckets", async () => {
    await store(nowMs - 90 * MINUTE_MS, upTo(40));
    await store(nowMs - 20 * MINUTE_MS, [1_000], west, { status: STATUS_CODES.failure });
    const { whole } = await seriesOf(3);
    expect(whole).toMatchObject({ success: 40, p50Ms: 21, p95Ms: 39, p99Ms: 1_000 });
    expect(whole.failure + whole.error + whole.timeout).toBe(1);
    expect(whole.avgMs).toBeCloseTo((820 + 1_000) / 41, 2);
    expect((await seriesOf(3, "&by=all")).whole).toEqual(whole);
  });

  it("are null without a result", async () => {
    expect((await seriesOf(3)).whole).toMatchObject({ success: 0, avgMs: null, p50Ms: null });
  });
});

describe("a day at most, from the results", () => {
  it("has exact quantiles, counts and phases, and null where nothing was measured", async () => {
    await store(nowMs - 30 * MINUTE_MS, [100]);
    await store(nowMs - 10 * MINUTE_MS, [50], west, { status: 4 });
    const { bucketMs, source, series } = await seriesOf(1);
    expect([bucketMs, source]).toEqual([MINUTE_MS, "results"]);
    const [first, second] = series;
    expect(series.map(({ locationId }) => locationId)).toEqual(LOCATIONS);
    expect([first?.p50Ms[30], first?.p99Ms[30], first?.avgMs[30], first?.p50Ms[31]]).toEqual([
      100,
      100,
      100,
      null,
    ]);
    expect(first?.phasesMs.dnsLookupMs[30]).toBe(1);
    expect([second?.timeout[50], second?.success[50]]).toEqual([1, 0]);
  });

  it("a bucket of several results has their quantiles; all locations together are one series", async () => {
    await store(nowMs - 5 * MINUTE_MS, [10, 20, 30, 40, 50]);
    await store(nowMs - 5 * MINUTE_MS, [60, 70, 80, 90, 100], west);
    const { bucketMs, series } = await seriesOf(24, "&by=all");
    expect([bucketMs, series.length, series[0]?.locationId]).toEqual([5 * MINUTE_MS, 1, null]);
    const at = series[0]?.success.indexOf(10) ?? -1;
    expect([series[0]?.p50Ms[at], series[0]?.p95Ms[at], series[0]?.minMs[at], series[0]?.maxMs[at]]).toEqual([
      50, 100, 10, 100,
    ]);
  });
});

describe("more than a day, from the rollups", () => {
  it("has the counts of the results, quantiles within 6 %, phases, and the hours that are not rolled up", async () => {
    const fromMs = Math.floor((nowMs - 30 * HOUR_MS) / HOUR_MS) * HOUR_MS;
    await store(fromMs, upTo(60));
    await rollUp(test.services.knex, nowMs - 2 * HOUR_MS);
    await store(nowMs - 20 * MINUTE_MS, [500]);
    const { bucketMs, source, series } = await seriesOf(48);
    expect([bucketMs, source]).toEqual([HOUR_MS, "rollups"]);
    const one = series[0];
    const at = one?.success.indexOf(60) ?? -1;
    expect(at).toBeGreaterThan(0);
    expect((one?.p50Ms[at] ?? 0) / 30).toBeCloseTo(1, 1);
    expect((one?.p95Ms[at] ?? 0) / 57).toBeCloseTo(1, 1);
    expect([one?.avgMs[at], one?.maxMs[at], one?.phasesMs.dnsLookupMs[at]]).toEqual([30.5, 60, 1]);
    expect(one?.p50Ms.filter((value) => value !== null)).toHaveLength(2);
    expect(one?.p50Ms.find((value) => (value ?? 0) > 400) ?? 0).toBeCloseTo(500, -2);
  });

  it("hours of an earlier version have counts and means, but no quantiles", async () => {
    await store(Math.floor((nowMs - 30 * HOUR_MS) / HOUR_MS) * HOUR_MS, upTo(60));
    await rollUp(test.services.knex, nowMs);
    await test.services
      .knex("rollups")
      .where({ checkKey: check.key })
      .update({ responseTimeHistogram: null, phaseSumsUs: null });
    const { series } = await seriesOf(48);
    const at = series[0]?.success.indexOf(60) ?? -1;
    expect([series[0]?.avgMs[at], series[0]?.p50Ms[at], series[0]?.phasesMs.ttfbMs[at]]).toEqual([
      30.5,
      null,
      null,
    ]);
  });
});

it("13 months have at most 400 buckets; more is refused", async () => {
  const { series, bucketMs } = await seriesOf(395 * 24);
  expect([bucketMs, series[0]?.avgMs.length]).toEqual([DAY_MS, 396]);
  const from = new Date(nowMs - 401 * DAY_MS).toISOString();
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/series?from=${from}`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("at most 400 days")]);
});
