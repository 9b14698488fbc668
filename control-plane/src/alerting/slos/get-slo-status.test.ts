/** Status over the real database against the plainest computation over the results that were stored. */
import { DAY_MS, HOUR_MS, MINUTE_MS, newId, type SloId, type SloStatus } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import {
  aCheck,
  aResult,
  keyOfCheck,
  keyOfLocation,
  type StoredResult,
} from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { dayOf, ensurePartitions } from "../../results/retention/partitions.ts";
import { retain } from "../../results/retention/retain.ts";
import { bucketOf } from "../../results/rollups/buckets.ts";
import { countThresholds } from "../../results/rollups/count-thresholds.ts";
import { rollUp } from "../../results/rollups/roll-up.ts";
import { burnRateOf } from "./burn-rate.ts";
import { readBurnRates } from "./read-burn-rates.ts";
import { registerSloRoutes } from "./routes.ts";

const LOCATIONS = ["loc_us_east", "loc_us_west", "loc_us_south"] as const;

let test: TestApp;
let locationKeys: number[];
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerMaintenanceRoutes(app, services);
      registerSloRoutes(app, services);
    },
  });
  const { knex } = test.services;
  await seedHostedLocations(knex);
  locationKeys = await Promise.all(LOCATIONS.map((id) => keyOfLocation(knex, id)));
  await ensurePartitions(knex, test.clock.nowMs() - 32 * DAY_MS, test.clock.nowMs() + 40 * DAY_MS);
});
afterAll(() => test.close());

interface Span {
  fromMs: number;
  toMs: number;
}
/** Everything that the service was given, in the plainest form, from which the test computes the expected status. */
interface Story {
  checkId: string;
  checkKey: number;
  results: Map<string, StoredResult>;
  /** When windows held for the check. */
  held: Span[];
}
interface Objective {
  id: string;
  windowDays: number;
  targetBasisPoints: number;
  thresholdMs: number | null;
}

async function newStory(): Promise<Story> {
  const check = (await test.call("POST", "/api/checks", aCheck({ locations: [LOCATIONS[0]] }))).body.check;
  const checkKey = await keyOfCheck(test.services.knex, check.id);
  return { checkId: check.id, checkKey, results: new Map(), held: [] };
}

async function newObjective(
  { checkId }: Story,
  { windowDays = 30, targetBasisPoints = 9_900, thresholdMs = null }: Partial<Omit<Objective, "id">> = {},
): Promise<Objective> {
  const sli = thresholdMs === null ? {} : { sliType: "performance", perfThresholdMs: thresholdMs };
  const body = { name: "slo", checkId, windowDays, targetBasisPoints, ...sli };
  const answer = await test.call("POST", "/api/slos", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { id: answer.body.slo.id, windowDays, targetBasisPoints, thresholdMs };
}

/** Stores a result as ingest does: once, and a bucket that may be computed already is marked. */
async function store(story: Story, results: readonly StoredResult[]): Promise<void> {
  const { knex } = test.services;
  for (const { detail: _, ...row } of results) {
    const key = `${row.locationKey}:${row.slotMs}`;
    await knex("results").insert(row).onConflict(["checkKey", "locationKey", "slotMs"]).ignore();
    if (!story.results.has(key)) story.results.set(key, row as StoredResult);
  }
  await knex.raw(
    "INSERT INTO rollup_dirty_buckets (bucket_ms) SELECT DISTINCT unnest(?::bigint[]) ON CONFLICT DO NOTHING",
    [results.map(({ slotMs }) => bucketOf(slotMs))],
  );
}

function bruteForce({ results, held }: Story, { fromMs, toMs }: Span, thresholdMs: number | null) {
  const counted = [...results.values()].filter(
    ({ slotMs }) =>
      slotMs >= fromMs && slotMs < toMs && !held.some((span) => slotMs >= span.fromMs && slotMs < span.toMs),
  );
  const successes = counted.filter(({ status }) => status === 1);
  const good = successes.filter(
    ({ responseTimeUs }) => thresholdMs === null || responseTimeUs <= thresholdMs * 1_000,
  );
  const sumUs = counted.reduce((sum, { responseTimeUs }) => sum + responseTimeUs, 0);
  return { total: counted.length, success: successes.length, good: good.length, sumUs };
}

async function expectStatus(story: Story, objective: Objective): Promise<SloStatus> {
  const nowMs = test.clock.nowMs();
  const { windowDays, targetBasisPoints, thresholdMs } = objective;
  const { state } = (await test.call("GET", `/api/slos/${objective.id}/status`)).body;
  const inLast = (ms: number) => bruteForce(story, { fromMs: nowMs - ms, toMs: nowMs }, thresholdMs);
  const window = bruteForce(
    story,
    { fromMs: bucketOf(nowMs - windowDays * DAY_MS), toMs: nowMs },
    thresholdMs,
  );
  const share = (part: number) => (window.total === 0 ? 1 : part / window.total);
  const rate = (counts: { total: number; good: number }) => burnRateOf(counts, targetBasisPoints);
  expect(state).toMatchObject({
    totalCount: window.total,
    successCount: window.success,
    availability: share(window.success),
    perfComplianceRatio: thresholdMs === null ? null : share(window.good),
    avgDurationMs: window.total === 0 ? null : window.sumUs / 1_000 / window.total,
    errorBudgetConsumed: windowDays * 1_440 * (1 - share(window.good)),
    burnRate1h: rate(inLast(HOUR_MS)),
    burnRate6h: rate(inLast(6 * HOUR_MS)),
    burnRate24h: rate(inLast(DAY_MS)),
  });
  const minutes = [5, 30, 60, 360, 1_440];
  const { teamId } = test.team;
  const sloId = objective.id as SloId;
  const asked = minutes.map((windowMinutes) => ({ teamId, sloId, windowMinutes }));
  const rates = await readBurnRates(test.services.knex, asked, nowMs);
  expect(minutes.map((windowMinutes) => rates(teamId, sloId, windowMinutes))).toEqual(
    minutes.map((windowMinutes) => rate(inLast(windowMinutes * MINUTE_MS))),
  );
  return state;
}

/** Does the work of the background jobs at an instant. */
async function rollUpAt(nowMs: number): Promise<void> {
  await rollUp(test.services.knex, nowMs);
  await countThresholds(test.services.knex, nowMs);
}

async function createWindow(story: Story, overrides: object): Promise<{ id: string; held: Span }> {
  const nowMs = test.clock.nowMs();
  const body = {
    name: newId("maintenanceWindow"),
    mode: "continue",
    checkIds: [story.checkId],
    startsAt: new Date(nowMs).toISOString(),
    endsAt: new Date(nowMs + HOUR_MS).toISOString(),
    ...overrides,
  };
  const answer = await test.call("POST", "/api/maintenance-windows", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  const { id, startsAt, endsAt } = answer.body.maintenanceWindow;
  const held = { fromMs: Date.parse(startsAt), toMs: Date.parse(endsAt) };
  story.held.push(held);
  return { id, held };
}

describe("status equals a computation over every result", () => {
  /** A step of a story: time passes, and something happens. */
  const minutesAgo = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 32 * 1_440 }) },
  );
  const result = fc.record({
    location: fc.integer({ min: 0, max: LOCATIONS.length - 1 }),
    minutesAgo,
    offsetMs: fc.integer({ min: 0, max: 59_999 }),
    status: fc.constantFrom(1, 1, 1, 2, 3, 4),
    // Around both thresholds, exactly at them included.
    responseTimeUs: fc.constantFrom(1, 99_999, 100_000, 100_001, 250_000, 250_001, 2_147_483_647),
  });
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("results" as const),
        results: fc.array(result, { minLength: 1, maxLength: 30 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("rollUp" as const),
        lagMinutes: fc.integer({ min: 0, max: 600 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("window" as const),
        mode: fc.constantFrom("pause", "continue"),
        backMs: fc.integer({ min: 0, max: 3 * DAY_MS }),
        lastsMs: fc.integer({ min: 1_000, max: 4 * HOUR_MS }),
        isForAll: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("endWindow" as const),
        how: fc.constantFrom("delete", "otherChecks"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("threshold" as const),
        thresholdMs: fc.constantFrom(100, 250),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("locations" as const),
        count: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("time" as const),
        minutes: fc.integer({ min: 1, max: 180 }),
      }),
    },
  );

  it("whatever came late, was paused, moved or reported afterwards, for both kinds of SLI", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        test.team = await test.createTeam();
        const story = await newStory();
        const other = await newStory();
        const objectives = [
          await newObjective(story, { windowDays: 7 }),
          await newObjective(story, { windowDays: 30, thresholdMs: 100 }),
        ];
        // Results come from where the check runs or ran.
        let locationCount = 1;
        let open: { id: string; held: Span } | undefined;
        for (const one of steps) {
          const nowMs = test.clock.nowMs();
          if (one.kind === "time") test.clock.advance(one.minutes * MINUTE_MS + 12_345);
          if (one.kind === "rollUp") await rollUpAt(nowMs - one.lagMinutes * MINUTE_MS);
          if (one.kind === "results") {
            const { checkKey } = story;
            const slotOf = (ago: number, offsetMs: number) => nowMs - ago * MINUTE_MS - offsetMs;
            await store(
              story,
              one.results.map(({ location, minutesAgo: ago, offsetMs, status, responseTimeUs }) =>
                aResult(
                  {
                    checkKey,
                    locationKey: locationKeys[location % locationCount] as number,
                    slotMs: slotOf(ago, offsetMs),
                  },
                  { status, responseTimeUs },
                ),
              ),
            );
          }
          if (one.kind === "window") {
            const startsAt = new Date(nowMs - one.backMs).toISOString();
            const endsAt = new Date(nowMs + one.lastsMs).toISOString();
            const checkIds = one.isForAll ? "all" : [story.checkId];
            open = await createWindow(story, { mode: one.mode, startsAt, endsAt, checkIds });
          }
          if (one.kind === "endWindow" && open) {
            const path = `/api/maintenance-windows/${open.id}`;
            if (one.how === "delete") await test.call("DELETE", path);
            else await test.call("PUT", path, { checkIds: [other.checkId] });
            // The time until now stays excluded.
            open.held.toMs = Math.min(open.held.toMs, nowMs);
            open = undefined;
          }
          if (one.kind === "threshold") {
            const perf = objectives[1] as Objective;
            perf.thresholdMs = one.thresholdMs;
            await test.call("PUT", `/api/slos/${perf.id}`, { perfThresholdMs: one.thresholdMs });
          }
          if (one.kind === "locations") {
            const locations = LOCATIONS.slice(0, one.count);
            locationCount = Math.max(locationCount, one.count);
            await test.call("PUT", `/api/checks/${story.checkId}`, { locations });
          }
          await rollUpMarked();
          for (const objective of objectives) await expectStatus(story, objective);
        }
        await rollUpAt(test.clock.nowMs());
        for (const objective of objectives) await expectStatus(story, objective);
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  /** Late results count once their bucket is computed again; how far the rollups are otherwise must make no difference. */
  async function rollUpMarked(): Promise<void> {
    const progress = await test.services.knex("jobProgress").where({ job: "rollups" }).first("doneUntilMs");
    if (progress) await rollUp(test.services.knex, progress.doneUntilMs);
  }
});

describe("an SLO's window", () => {
  it("outlives the results: rolled up, and kept one by one where a maintenance window begins or ends", async () => {
    test.team = await test.createTeam();
    const story = await newStory();
    const objective = await newObjective(story, { windowDays: 30 });
    const timed = await newObjective(story, { windowDays: 30, thresholdMs: 100 });
    const startMs = test.clock.nowMs();
    await createWindow(story, {
      startsAt: new Date(startMs + 7 * MINUTE_MS + 30_000).toISOString(),
      endsAt: new Date(startMs + 93 * MINUTE_MS + 1).toISOString(),
    });
    const { checkKey } = story;
    await rollUpAt(startMs);
    const results = Array.from({ length: 400 }, (_, i) =>
      aResult(
        { checkKey, locationKey: locationKeys[0] as number, slotMs: startMs + i * 30_000 },
        { status: i % 7 === 0 ? 2 : 1, responseTimeUs: 90_000 + (i % 5) * 5_000 },
      ),
    );
    await store(story, results);
    test.clock.advance(4 * HOUR_MS);
    await rollUpAt(test.clock.nowMs());
    const before = await expectStatus(story, objective);
    test.clock.advance(10 * DAY_MS);
    await rollUpAt(test.clock.nowMs());
    await retain(test.services.knex, test.clock.nowMs(), {
      retentionDays: 7,
      rollupRetentionMonths: 13,
      alertRetentionDays: 90,
      incidentRetentionDays: 90,
      historyRetentionDays: 400,
      changeLogBytesMax: 1e9,
    });
    expect(await test.services.knex("results").where({ checkKey })).toEqual([]);
    const after = await expectStatus(story, objective);
    expect(after.totalCount).toBe(before.totalCount);
    await expectStatus(story, timed);
    await ensurePartitions(test.services.knex, dayOf(startMs) - 32 * DAY_MS, test.clock.nowMs());
  });

  it("is its own team's: another team's rule can't read its burn rate", async () => {
    test.team = await test.createTeam();
    const story = await newStory();
    const sloId = (await newObjective(story)).id as SloId;
    const slotMs = test.clock.nowMs() - MINUTE_MS;
    const key = { checkKey: story.checkKey, locationKey: locationKeys[0] as number, slotMs };
    await store(story, [aResult(key, { status: 2 })]);
    const stranger = await test.createTeam();
    const [own, foreign] = [test.team.teamId, stranger.teamId];
    const asked = [own, foreign].map((teamId) => ({ teamId, sloId, windowMinutes: 60 }));
    const rates = await readBurnRates(test.services.knex, asked, test.clock.nowMs());
    expect([rates(own, sloId, 60), rates(foreign, sloId, 60)]).toEqual([100, undefined]);
    await test.call("PUT", `/api/slos/${sloId}`, { enabled: false });
    const afterwards = await readBurnRates(test.services.knex, asked, test.clock.nowMs());
    expect(afterwards(own, sloId, 60)).toBeUndefined();
  });
});
