/** The slots of all checks of a team against the coverage of each of them, which counts them one by one. */
import { type Coverage, DAY_MS, HOUR_MS, MINUTE_MS, type TeamCoverage } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { aCheck, aResult, keyOfCheck, keyOfLocation, storeResults } from "../../test-support/builders.ts";
import { storePresence } from "../../test-support/presences.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { readExpected } from "../results/coverage/read-coverage.ts";
import { registerCoverageRoutes } from "../results/coverage/routes.ts";
import { ensurePartitions } from "../results/retention/partitions.ts";
import { rollUp } from "../results/rollups/roll-up.ts";
import { SETTLE_MS } from "../results/rollups/timing.ts";
import { registerOverviewRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west", "loc_eu_central"] as const;

let test: TestApp;
let locationKeys: number[];
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerCoverageRoutes(app, services);
      registerOverviewRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
  locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(test.services.knex, id)));
});
afterAll(() => test.close());

/** Sums the coverage of checks by location. */
async function coverageOf(ids: readonly string[]) {
  const all = new Map<string, { expected: number; received: number; missing: Map<string, number> }>();
  for (const id of ids) {
    const { body } = await test.call("GET", `/api/checks/${id}/coverage?range=24h`);
    for (const { locationId, expected, received, missing } of (body as Coverage).locations) {
      const sums = all.get(locationId) ?? { expected: 0, received: 0, missing: new Map() };
      sums.expected += expected;
      sums.received += received;
      for (const { reason } of missing) sums.missing.set(reason, (sums.missing.get(reason) ?? 0) + 1);
      all.set(locationId, sums);
    }
  }
  return sorted(all);
}

async function counted() {
  const { body } = await test.call("GET", "/api/coverage");
  const all = (body as TeamCoverage).locations.map(
    ({ locationId, expected, received, missingCount, missing }) => {
      expect(missingCount).toBe(expected - received);
      const reasons = new Map(missing.map(({ reason, count }) => [reason as string, count]));
      return [locationId, { expected, received, missing: reasons }] as const;
    },
  );
  return sorted(new Map(all));
}

type Sums = ReadonlyMap<string, { expected: number; received: number; missing: Map<string, number> }>;

/** Returns the locations where a slot was due, in the order of their ids. */
const sorted = (sums: Sums) =>
  [...sums].filter(([, { expected }]) => expected > 0).sort(([a], [b]) => (a < b ? -1 : 1));

/** Runners were at the first location until an instant, and at the others all the time. */
async function storePresences(fromMs: number, untilMs: number, lastMs: number) {
  const { knex } = test.services;
  await knex("runnerPresence").delete();
  for (const [i, locationKey] of locationKeys.entries())
    await storePresence(knex, locationKey, { fromMs, untilMs: i === 0 ? untilMs : lastMs });
}

/** Rolls up as the job would at an instant. */
async function rollUpAt(nowMs: number) {
  await test.services.knex("jobProgress").where({ job: "rollups" }).delete();
  await test.services.knex("rollups").delete();
  await rollUp(test.services.knex, nowMs + SETTLE_MS);
}

const story = fc.record({
  checks: fc.array(
    fc.record({
      // So few slots that coverage lists all that are missing.
      frequencySeconds: fc.constantFrom(90, 120, 600),
      locations: fc.integer({ min: 1, max: 3 }),
      /** Hours after which something changes. */
      changes: fc.array(
        fc.record({
          afterMinutes: fc.integer({ min: 1, max: 500 }),
          change: fc.constantFrom(
            { frequencySeconds: 300 },
            { locations: [LOCATIONS[1]] },
            { enabled: false },
            { enabled: true },
            "trigger" as const,
          ),
        }),
        { maxLength: 4 },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  beforeMinutes: fc.integer({ min: 3, max: 2_000 }),
  rolledUpMinutesAgo: fc.integer({ min: 0, max: 300 }),
  /** Of how many slots one has no result; 0: all have. */
  missingOneIn: fc.constantFrom(0, 2, 7, 50),
  seed: fc.integer({ min: 1, max: 1_000 }),
});

type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** The one run that was triggered has no result, and lies where the rollups count. */
const TRIGGERED_WITHOUT_RESULT: Story = {
  checks: [
    { frequencySeconds: 600, locations: 2, changes: [{ afterMinutes: 224, change: "trigger" }] },
    { frequencySeconds: 90, locations: 3, changes: [] },
  ],
  beforeMinutes: 572,
  rolledUpMinutesAgo: 0,
  missingOneIn: 7,
  seed: 993,
};

it("are those that the coverage of each check counts, with its reasons, whatever was changed meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ checks, beforeMinutes, rolledUpMinutesAgo, missingOneIn, seed }) => {
      const { knex } = test.services;
      test.team = await test.createTeam();
      const startMs = test.clock.nowMs();
      await ensurePartitions(knex, startMs - DAY_MS, startMs + 6 * DAY_MS);
      const stories = [];
      for (const { frequencySeconds, locations, changes } of checks) {
        const body = aCheck({ frequencySeconds, locations: LOCATIONS.slice(0, locations) });
        const { body: created } = await test.call("POST", "/api/checks", body);
        stories.push({ id: created.check.id as string, changes: [...changes] });
      }
      for (const { id, changes } of stories)
        for (const { afterMinutes, change } of changes) {
          test.clock.advance(afterMinutes * MINUTE_MS + 777);
          if (change === "trigger") await test.call("POST", `/api/checks/${id}/trigger`);
          else await test.call("PUT", `/api/checks/${id}`, change);
        }
      test.clock.advance(beforeMinutes * MINUTE_MS + 321);
      const nowMs = test.clock.nowMs();
      await storePresences(startMs - HOUR_MS, nowMs - HOUR_MS, nowMs);
      let random = seed;
      const next = () => {
        random = (random * 48_271) % 2_147_483_647;
        return random;
      };
      for (const { id } of stories) {
        const check = await knex("checks").where({ id }).first();
        const spans = await readExpected(knex, { ...check, id } as never, { fromMs: startMs, toMs: nowMs });
        const results = [];
        const missed = [];
        for (const span of spans)
          for (let slotMs = span.firstSlotMs; slotMs <= span.lastSlotMs; slotMs += span.periodMs) {
            const key = { checkKey: check.key as number, locationKey: span.locationKey, slotMs };
            if (missingOneIn === 0 || next() % missingOneIn !== 0) results.push(aResult(key, {}));
            else if (next() % 3 === 0) missed.push({ ...key, reason: "runner_capacity" });
          }
        await storeResults(knex, results);
        if (missed.length > 0) await knex.batchInsert("missedSlots", missed, 1_000);
      }
      await rollUpAt(nowMs - rolledUpMinutesAgo * MINUTE_MS);
      expect(await counted()).toEqual(await coverageOf(stories.map(({ id }) => id)));
    }),
    // A failure is shown with what was found until then, before the test's own limit.
    { numRuns: 8, examples: [[TRIGGERED_WITHOUT_RESULT]], interruptAfterTimeLimit: 90_000 },
  );
});

it("name the location that misses most, and hold nothing of another team", async () => {
  test.team = await test.createTeam();
  const { body } = await test.call(
    "POST",
    "/api/checks",
    aCheck({ frequencySeconds: 60, locations: LOCATIONS.slice(0, 2) }),
  );
  const checkKey = await keyOfCheck(test.services.knex, body.check.id);
  test.clock.advance(30 * MINUTE_MS);
  await test.services.knex("runnerPresence").delete();
  const [present] = locationKeys as [number];
  const spans = await readExpected(test.services.knex, { key: checkKey, id: body.check.id } as never, {
    fromMs: test.clock.nowMs() - DAY_MS,
    toMs: test.clock.nowMs(),
  });
  const slots = spans
    .filter(({ locationKey }) => locationKey === present)
    .flatMap((span) =>
      Array.from({ length: 20 }, (_, i) => span.firstSlotMs + i * span.periodMs).filter(
        (slotMs) => slotMs <= span.lastSlotMs,
      ),
    );
  await storeResults(
    test.services.knex,
    [...new Set(slots)].map((slotMs) => aResult({ checkKey, locationKey: present, slotMs }, {})),
  );
  const { slots: answered } = (await test.call("GET", "/api/overview")).body;
  expect(answered.missing).toMatchObject([{ reason: "no_runner", location: { id: "loc_us_west" } }]);
  expect(answered.expected - answered.received).toBe(answered.missing[0].count);
  const { locations } = (await test.call("GET", "/api/coverage")).body as TeamCoverage;
  expect(locations.map(({ locationId }) => locationId)).toEqual(["loc_us_west", "loc_us_east"]);
  expect(locations[0]).toMatchObject({
    received: 0,
    missing: [{ reason: "no_runner", count: locations[0]?.expected }],
  });
  const other = await test.createTeam();
  const { body: none } = await test.call("GET", "/api/coverage", undefined, other.byKey);
  expect(none.locations).toEqual([]);
  const { body: foreign } = await test.call("GET", "/api/overview", undefined, other.byKey);
  expect(foreign.slots).toMatchObject({ expected: 0, received: 0, missing: [] });
});
