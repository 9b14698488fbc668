/** Stories of SLOs: everything that a service was given about a check, and the status computed from all of that. */
import { DAY_MS, HOUR_MS, MINUTE_MS, newId, type SloId, type SloStatus } from "@svc/contract";
import type { Knex } from "knex";
import { expect } from "vitest";
import { burnRateOf } from "../src/alerting/slos/burn-rate.ts";
import { readBurnRates } from "../src/alerting/slos/read-burn-rates.ts";
import { registerSloRoutes } from "../src/alerting/slos/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerMaintenanceRoutes } from "../src/checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import type { ApiApp } from "../src/platform/http/api.ts";
import type { Services } from "../src/platform/services.ts";
import { saveDroppedUntil } from "../src/results/retention/dropped-store.ts";
import { dayOf, ensurePartitions } from "../src/results/retention/partitions.ts";
import { retainBuckets } from "../src/results/retention/retain-buckets.ts";
import { bucketOf, hourOf } from "../src/results/rollups/buckets.ts";
import { countThresholds } from "../src/results/rollups/count-thresholds.ts";
import { divideByDay } from "../src/results/rollups/days-store.ts";
import { rollUp } from "../src/results/rollups/roll-up.ts";
import { lockProgress, saveProgress } from "../src/results/rollups/store.ts";
import { createTestApp, type TestApp, type TestClock } from "./app.ts";
import { aCheck, keyOfCheck, keyOfLocation, type StoredResult } from "./builders.ts";
import { computePastRollups } from "./past-rollups.ts";

/** Locations that results of stories come from; a new check runs in the first one. */
export const STORY_LOCATIONS = ["loc_us_east", "loc_us_west", "loc_us_south"] as const;

/** A half-open span, Unix ms. */
export interface Span {
  fromMs: number;
  toMs: number;
}
/** Everything that the service was given, in the plainest form, from which the test computes the expected status. */
export interface Story {
  checkId: string;
  checkKey: number;
  results: Map<string, StoredResult>;
  /** When windows held for the check. */
  held: Span[];
}
/** An SLO as it was asked for. */
export interface Objective {
  id: string;
  windowDays: number;
  targetBasisPoints: number;
  thresholdMs: number | null;
}

/** An app in which stories happen. */
export class SloStories {
  readonly app: TestApp;
  /** Keys of {@link STORY_LOCATIONS}. */
  readonly locationKeys: readonly number[];

  constructor(app: TestApp, locationKeys: readonly number[]) {
    this.app = app;
    this.locationKeys = locationKeys;
  }

  /** Creates a check without results, at the first location. */
  async newStory(): Promise<Story> {
    const check = (await this.app.call("POST", "/api/checks", aCheck({ locations: [STORY_LOCATIONS[0]] })))
      .body.check;
    const checkKey = await keyOfCheck(this.app.services.knex, check.id);
    return { checkId: check.id, checkKey, results: new Map(), held: [] };
  }

  /** Creates an SLO over the story's check. */
  async newObjective(
    { checkId }: Story,
    { windowDays = 30, targetBasisPoints = 9_900, thresholdMs = null }: Partial<Omit<Objective, "id">> = {},
  ): Promise<Objective> {
    const sli = thresholdMs === null ? {} : { sliType: "performance", perfThresholdMs: thresholdMs };
    const body = { name: "slo", checkId, windowDays, targetBasisPoints, ...sli };
    const answer = await this.app.call("POST", "/api/slos", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return { id: answer.body.slo.id, windowDays, targetBasisPoints, thresholdMs };
  }

  /** Stores a result as ingest does: once, and a bucket that may be computed already is marked. */
  async store(story: Story, results: readonly StoredResult[]): Promise<void> {
    const { knex } = this.app.services;
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

  /** Compares the status and the burn rates of an SLO with those computed from the story; returns the status. */
  async expectStatus(story: Story, objective: Objective): Promise<SloStatus> {
    const nowMs = this.app.clock.nowMs();
    const { windowDays, targetBasisPoints, thresholdMs } = objective;
    const { state } = (await this.app.call("GET", `/api/slos/${objective.id}/status`)).body;
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
    const { teamId } = this.app.team;
    const sloId = objective.id as SloId;
    const asked = minutes.map((windowMinutes) => ({ teamId, sloId, windowMinutes }));
    const rates = await readBurnRates(this.app.services.knex, asked, nowMs);
    expect(minutes.map((windowMinutes) => rates(teamId, sloId, windowMinutes))).toEqual(
      minutes.map((windowMinutes) => rate(inLast(windowMinutes * MINUTE_MS))),
    );
    return state;
  }

  /** Does the work of the background jobs at an instant. */
  async rollUpAt(nowMs: number): Promise<void> {
    await catchUp(this.app.services.knex, nowMs);
    await rollUp(this.app.services.knex, nowMs);
    await countThresholds(this.app.services.knex, nowMs);
  }

  /** Has the parts of hours of days before yesterday counted from results, as they are once retention has run for a while. */
  async forgetBuckets(): Promise<void> {
    const { knex } = this.app.services;
    await saveDroppedUntil(knex, dayOf(this.app.clock.nowMs()) - 30 * DAY_MS);
    for (let run = 0; run < 2; run++) await retainBuckets(knex, this.app.clock.nowMs());
  }

  /** Creates a maintenance window of the story's check, of one hour from now unless overridden. */
  async createWindow(story: Story, overrides: object): Promise<{ id: string; held: Span }> {
    const nowMs = this.app.clock.nowMs();
    const body = {
      name: newId("maintenanceWindow"),
      mode: "continue",
      checkIds: [story.checkId],
      startsAt: new Date(nowMs).toISOString(),
      endsAt: new Date(nowMs + HOUR_MS).toISOString(),
      ...overrides,
    };
    const answer = await this.app.call("POST", "/api/maintenance-windows", body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const { id, startsAt, endsAt } = answer.body.maintenanceWindow;
    const held = { fromMs: Date.parse(startsAt), toMs: Date.parse(endsAt) };
    story.held.push(held);
    return { id, held };
  }
}

/**
 * Starts the app, with partitions for the results of two months. Close `app`.
 * @param options.register further routes
 */
export async function createSloStories(
  options: { clock?: TestClock; register?: (api: ApiApp, services: Services) => void } = {},
): Promise<SloStories> {
  const app = await createTestApp({
    ...(options.clock && { clock: options.clock }),
    register: (api, services) => {
      options.register?.(api, services);
      registerCheckRoutes(api, services, []);
      registerMaintenanceRoutes(api, services);
      registerSloRoutes(api, services);
    },
  });
  const { knex } = app.services;
  await seedHostedLocations(knex);
  const locationKeys = await Promise.all(STORY_LOCATIONS.map((id) => keyOfLocation(knex, id)));
  const nowMs = app.clock.nowMs();
  await ensurePartitions(knex, nowMs - 32 * DAY_MS, nowMs + 40 * DAY_MS);
  await divideByDay(knex, { cutMs: dayOf(nowMs) - 32 * DAY_MS, untilMs: dayOf(nowMs) + DAY_MS });
  return new SloStories(app, locationKeys);
}

/** Counts the results of a story in a span one by one, as the counts of SLOs should be. */
export function bruteForce({ results, held }: Story, { fromMs, toMs }: Span, thresholdMs: number | null) {
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

/** Computes the rollups up to a day before. */
async function catchUp(knex: Knex, nowMs: number): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw("SET LOCAL statement_timeout = 0");
    const fromMs = await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    const toMs = hourOf(nowMs) - DAY_MS;
    if (fromMs >= toMs) return;
    await computePastRollups(trx, { fromMs, toMs });
    await saveProgress(trx, toMs);
  });
}
