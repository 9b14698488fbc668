import { type Check, type Coverage, newId, phaseMs, slotAtOrAfter } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { registerCoverageRoutes } from "./routes.ts";

let test: TestApp;
let locationKey: number;
let secondKey: number;

beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  locationKey = await keyOfLocation(test.services.knex, "loc_us_east");
  secondKey = await keyOfLocation(test.services.knex, "loc_us_west");
});
afterAll(() => test.close());

beforeEach(() => {
  test.clock.advance(24 * 3_600_000);
});

/** A check without a first run, made now; time does not move. */
async function createCheck(overrides: Parameters<typeof aCheck>[0] = {}): Promise<Check & { key: number }> {
  const quiet = { frequencySeconds: 60, ...overrides };
  const { body } = await test.call("POST", "/api/checks", aCheck({ ...quiet, enabled: false }));
  await test.call("PUT", `/api/checks/${body.check.id}`, { enabled: true });
  return { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
}

async function coverageOf(check: Check, range = "24h"): Promise<Coverage> {
  const { status, body } = await test.call("GET", `/api/checks/${check.id}/coverage?range=${range}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** The first `count` slots of the check after now. */
function slotsFromNow(check: Check, count: number): number[] {
  const periodMs = check.frequencySeconds * 1000;
  const first = slotAtOrAfter(test.clock.nowMs(), periodMs, phaseMs(check.id, check.frequencySeconds));
  return Array.from({ length: count }, (_, i) => first + i * periodMs);
}

const store = (check: { key: number }, slotsMs: number[], overrides: object = {}) =>
  storeResults(
    test.services.knex,
    slotsMs.map((slotMs) => aResult({ checkKey: check.key, locationKey, slotMs }, overrides)),
  );

async function runnerWasThere(fromMs: number, untilMs: number, at = locationKey, capabilities = ["http"]) {
  const { knex } = test.services;
  const [runner] = await knex("runners")
    .insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      runnerKeyId: newId("runnerKey"),
      locationKeys: [at],
      hostname: "h",
      version: "1",
      capabilities,
      capacityPerSecond: 1,
      replicaId: "a",
      connectedAt: new Date(fromMs),
      lastHeartbeatAt: new Date(untilMs),
      leaseUntil: new Date(untilMs),
    })
    .returning("key");
  await knex("runnerPresence").insert({
    runnerKey: runner.key,
    locationKey: at,
    capabilities,
    fromMs,
    untilMs,
  });
}

it("a check with every result is covered, and nothing is expected before it existed", async () => {
  const check = await createCheck();
  const slots = slotsFromNow(check, 5);
  await store(check, slots);
  test.clock.advance(5 * 60_000 + 30_000);
  const coverage = await coverageOf(check);
  expect(coverage).toEqual({
    checkId: check.id,
    from: new Date(test.clock.nowMs() - 24 * 3_600_000).toISOString(),
    to: new Date(test.clock.nowMs()).toISOString(),
    locations: [
      { locationId: "loc_us_east", expected: 5, received: 5, late: 0, missingCount: 0, missing: [] },
    ],
  });
});

it("a slot counts once its grace has passed, and not a ms before", async () => {
  const check = await createCheck();
  const [slotMs = 0] = slotsFromNow(check, 1);
  test.clock.advance(slotMs - test.clock.nowMs() + 30_000);
  expect((await coverageOf(check)).locations[0]).toMatchObject({ expected: 0, missingCount: 0 });
  test.clock.advance(1);
  expect((await coverageOf(check)).locations[0]).toMatchObject({
    expected: 1,
    received: 0,
    missingCount: 1,
    missing: [{ slotAt: new Date(slotMs).toISOString(), reason: "no_runner", detail: expect.any(String) }],
  });
});

it("while a runner may still be running it, a slot does not count", async () => {
  const check = await createCheck({ httpConfig: { url: "http://127.0.0.1:9/", timeoutMs: 10_000 } });
  const [slotMs = 0] = slotsFromNow(check, 1);
  await runnerWasThere(slotMs - 1, slotMs + 3_600_000);
  test.clock.advance(slotMs - test.clock.nowMs() + 30_000 + 9_999);
  expect((await coverageOf(check)).locations[0]).toMatchObject({ expected: 0, missingCount: 0, missing: [] });
  test.clock.advance(1);
  expect((await coverageOf(check)).locations[0]).toMatchObject({
    missingCount: 1,
    missing: [{ reason: "unknown" }],
  });
});

it("missing slots are listed newest first, each with what is known of it", async () => {
  const check = await createCheck();
  const slots = slotsFromNow(check, 5);
  const [recorded = 0, received = 0, incapable = 0, unexplained = 0, absent = 0] = slots;
  await store(check, [received]);
  const missed = { checkKey: check.key, locationKey, reason: "runner_capacity" };
  // The second slot was given up and its result came after all.
  await test.services.knex("missedSlots").insert([
    { ...missed, slotMs: recorded },
    { ...missed, slotMs: received },
  ]);
  await runnerWasThere(incapable, incapable + 1, locationKey, ["mcp"]);
  await runnerWasThere(unexplained, unexplained + 1);
  test.clock.advance(3_600_000);
  await test.services
    .knex("checkRevisions")
    .where({ checkKey: check.key })
    .whereNull("effectiveUntilMs")
    .update({
      effectiveUntilMs: absent + 1,
    });
  const [location] = (await coverageOf(check)).locations;
  expect(location).toMatchObject({ expected: 5, received: 1, missingCount: 4 });
  expect(location?.missing.map(({ slotAt, reason }) => [Date.parse(slotAt), reason])).toEqual([
    [absent, "no_runner"],
    [unexplained, "runner_lost"],
    [incapable, "no_capable_runner"],
    [recorded, "runner_capacity"],
  ]);
});

it("a slot without a result is its lost runner's for a lease after that was last there", async () => {
  const check = await createCheck();
  const [slotMs = 0] = slotsFromNow(check, 1);
  await runnerWasThere(slotMs - 60_000, slotMs - 15_000);
  await runnerWasThere(slotMs - 60_000, slotMs + 3_600_000);
  test.clock.advance(slotMs - test.clock.nowMs() + 60_000);
  expect((await coverageOf(check)).locations[0]?.missing).toMatchObject([{ reason: "runner_lost" }]);
});

it("a run that began more than a second after it was due is late, its location's stagger not counted", async () => {
  const check = await createCheck({ locations: ["loc_us_west", "loc_us_east"] });
  const [first = 0, second = 0, third = 0] = slotsFromNow(check, 3);
  await store(check, [first], { startDelayMs: 30_000 });
  await store(check, [second], { startDelayMs: 31_000 });
  await store(check, [third], { startDelayMs: 31_001 });
  test.clock.advance(600_000);
  const { locations } = await coverageOf(check);
  expect(locations.map((location) => location.locationId)).toEqual(["loc_us_west", "loc_us_east"]);
  expect(locations[1]).toMatchObject({ received: 3, late: 1 });
});

it("a location that the check left is still accounted for, until then", async () => {
  const check = await createCheck();
  const [first = 0] = slotsFromNow(check, 1);
  await store(check, [first]);
  test.clock.advance(120_000);
  await test.call("PUT", `/api/checks/${check.id}`, { locations: ["loc_us_west"] });
  test.clock.advance(120_000);
  const { locations } = await coverageOf(check);
  expect(locations.map((location) => [location.locationId, location.expected, location.received])).toEqual([
    ["loc_us_west", expect.any(Number), 0],
    ["loc_us_east", 2, 1],
  ]);
});

it("a run that was dispatched is expected like any other", async () => {
  const { body } = await test.call("POST", "/api/checks", aCheck({ frequencySeconds: 86_400 }));
  await test.call("POST", `/api/checks/${body.check.id}/trigger`);
  const check = { ...body.check, key: await keyOfCheck(test.services.knex, body.check.id) };
  const runs = await test.services.knex("manualRuns").where({ checkKey: check.key });
  expect(runs).toHaveLength(2);
  await store(check, [runs[0].slotMs]);
  test.clock.advance(31_000);
  expect((await coverageOf(check, "1h")).locations[0]).toMatchObject({
    expected: 2,
    received: 1,
    missingCount: 1,
  });
});

it("a disabled check expects nothing and still names its locations", async () => {
  const { body } = await test.call("POST", "/api/checks", aCheck({ enabled: false }));
  test.clock.advance(3_600_000);
  expect((await coverageOf(body.check)).locations).toEqual([
    { locationId: "loc_us_east", expected: 0, received: 0, late: 0, missingCount: 0, missing: [] },
  ]);
});

it("all missing slots are counted, the newest 1000 listed", async () => {
  const check = await createCheck({ frequencySeconds: 10 });
  test.clock.advance(4 * 3_600_000);
  const [location] = (await coverageOf(check, "6h")).locations;
  expect(location?.missingCount).toBe(1437);
  expect(location?.missing).toHaveLength(1000);
  expect(location?.missing[0]?.slotAt).toBe(
    new Date((slotsFromNow(check, 1)[0] ?? 0) - 40_000).toISOString(),
  );
});

describe("ranges", () => {
  it.each([
    ["1h", 60],
    ["6h", 360],
    ["7d", 10_080],
  ])("%s goes that far back", async (range, expected) => {
    const check = await createCheck();
    await test.services.knex("checkRevisions").where({ checkKey: check.key }).update({ effectiveFromMs: 0 });
    await test.services
      .knex("checkRevisions")
      .where({ checkKey: check.key, enabled: false })
      .update({ effectiveUntilMs: 0 });
    const [location] = (await coverageOf(check, range)).locations;
    expect(Math.abs((location?.expected ?? 0) - expected)).toBeLessThanOrEqual(1);
  });

  it("any other is 400, and another team's check 404", async () => {
    const check = await createCheck();
    const wrong = await test.call("GET", `/api/checks/${check.id}/coverage?range=2h`);
    expect(wrong.body.details.fieldErrors.range).toEqual([
      'expected one of 1h, 6h, 24h, 7d; got "2h"; did you mean "1h"?',
    ]);
    const other = await test.createTeam();
    const foreign = await test.call("GET", `/api/checks/${check.id}/coverage`, undefined, other.byKey);
    expect(foreign.body).toEqual({ error: "Check not found" });
  });
});

it("a week of a check every 10 s is answered set by set", async () => {
  const check = await createCheck({ frequencySeconds: 10, locations: ["loc_us_east", "loc_us_west"] });
  const { knex } = test.services;
  const fromMs = test.clock.nowMs() - 8 * 86_400_000;
  await knex("checkRevisions")
    .where({ checkKey: check.key, enabled: false })
    .update({ effectiveUntilMs: 0, effectiveFromMs: 0 });
  await knex("checkRevisions")
    .where({ checkKey: check.key, enabled: true })
    .update({ effectiveFromMs: fromMs });
  const first = slotAtOrAfter(fromMs, 10_000, phaseMs(check.id, 10));
  const bounds = [first, first + 9 * 86_400_000].map((slotMs) =>
    aResult({ checkKey: 1e9, locationKey: 1, slotMs }),
  );
  await storeResults(knex, bounds);
  await knex.raw(
    `INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us, status)
     SELECT ?, l, ?::bigint + s * 10000::bigint, 1, 5, 1, 1, 1
     FROM generate_series(0, 8 * 8640 - 1) s, unnest(?::integer[]) l WHERE s % 1000 <> 0`,
    [check.key, first, [locationKey, secondKey]],
  );
  const coverage = await coverageOf(check, "7d");
  for (const location of coverage.locations) {
    expect(Math.abs(location.expected - 60_477)).toBeLessThanOrEqual(1);
    expect(location.expected - location.received).toBe(location.missingCount);
    expect(location.missing).toHaveLength(location.missingCount);
    expect(location.missingCount).toBeGreaterThanOrEqual(60);
    expect(location.missingCount).toBeLessThanOrEqual(61);
  }
});
