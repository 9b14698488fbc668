/** An app with reports of June 2026, and the steps that tests of them are written in. */
import { DAY_MS, MINUTE_MS, type Report } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { registerLabelRoutes } from "../src/checks/labels/routes.ts";
import { COUNTED_AFTER_MS, countDueDays } from "../src/overview/reports/count-days.ts";
import { registerReportRoutes } from "../src/overview/reports/routes.ts";
import { ensurePartitions } from "../src/results/retention/partitions.ts";
import { hourOf } from "../src/results/rollups/buckets.ts";
import { registerSlotRoutes } from "../src/results/slots/routes.ts";
import { createTestClock, type TestApp } from "./app.ts";
import { aCheck, aResult, keyOfCheck } from "./builders.ts";
import { createSloStories, type SloStories, type Story } from "./slo-story.ts";

/** First instant of the month that tests report on. */
export const JUNE_MS = Date.UTC(2026, 5, 1);
/** First instant of the month after it. */
export const JULY_MS = Date.UTC(2026, 6, 1);

/** Stories whose months are reported on. */
export interface ReportTest {
  stories: SloStories;
  test: TestApp;
  /** Makes a team that has been there since May act, on the first instant of June. */
  begin(): Promise<void>;
  /** Creates a check, as {@link SloStories.newStory} does. */
  aStory(overrides?: Parameters<typeof aCheck>[0], labels?: string[]): Promise<Story>;
  /** Stores results of a story at the first location; the statuses take turns, successes by default. */
  store(story: Story, slotsMs: readonly number[], statuses?: readonly number[]): Promise<void>;
  /** Moves the clock to an instant, which is not before the clock's. */
  moveTo(ms: number): void;
  /** Rolls up and counts what is due at an instant; returns the number of days that were counted for the first time. */
  countAt(ms: number, retentionDays?: number): Promise<number>;
  /** Reads a report. */
  report(month?: string): Promise<Report>;
}

/** Starts the app before the tests of the calling file, begins June before each, and stops the app after the last. */
export function setUpReportTests(): ReportTest {
  const reports = {} as ReportTest;
  beforeAll(async () => {
    Object.assign(reports, await createReportTest());
  });
  afterAll(() => reports.test.close());
  beforeEach(() => reports.begin());
  return reports;
}

/** Starts the app. Its clock stands at the first instant of June and is put back by `begin`. */
async function createReportTest(): Promise<ReportTest> {
  const clock = createTestClock(JUNE_MS);
  const stories = await createSloStories({
    clock,
    register: (app, services) => {
      registerLabelRoutes(app, services, [alertingDependents]);
      registerReportRoutes(app, services);
      registerSlotRoutes(app, services);
    },
  });
  const test = stories.app;
  const { knex } = test.services;
  const moveTo = (ms: number) => clock.advance(ms - clock.nowMs());
  return {
    stories,
    test,
    moveTo,
    begin: async () => {
      moveTo(JUNE_MS);
      test.team = await test.createTeam();
      await knex("teams").update({ createdAt: new Date(Date.UTC(2026, 4, 7, 15)) });
      await knex("jobProgress").delete();
      for (const table of ["results", "rollups", "keptResults", "missedSlots", "runnerPresence"])
        await knex(table).delete();
      await ensurePartitions(knex, JUNE_MS - DAY_MS, JULY_MS + 3 * DAY_MS);
    },
    aStory: async (overrides = {}, labels = []) => {
      const { status, body } = await test.call("POST", "/api/checks", aCheck(overrides));
      expect(status, JSON.stringify(body)).toBe(201);
      const { id } = body.check;
      if (labels.length > 0) await test.call("PUT", `/api/checks/${id}/labels`, { labels });
      return { checkId: id, checkKey: await keyOfCheck(knex, id), results: new Map(), held: [] };
    },
    store: (story, slotsMs, statuses = [1]) =>
      stories.store(
        story,
        slotsMs.map((slotMs, i) =>
          aResult(
            { checkKey: story.checkKey, locationKey: stories.locationKeys[0] as number, slotMs },
            { status: statuses[i % statuses.length] as number, responseTimeUs: 1_000 * (i % 200) },
          ),
        ),
      ),
    countAt: async (ms, retentionDays = 60) => {
      // Rollups begin a day ago where there are none, and the tests' results are older: here they begin with the first of these.
      const [first] = await knex("results").min("slotMs");
      await knex("jobProgress")
        .insert({ job: "rollups", doneUntilMs: hourOf(Number(first?.min ?? ms)) })
        .onConflict("job")
        .ignore();
      await knex("jobProgress")
        .insert({ job: "reports", doneUntilMs: JUNE_MS - DAY_MS })
        .onConflict("job")
        .ignore();
      await stories.rollUpAt(ms);
      return countDueDays(knex, ms, { retentionDays, rollupRetentionMonths: 13 });
    },
    report: async (month = "2026-06") => {
      const { status, body } = await test.call("GET", `/api/reports/${month}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.report;
    },
  };
}

/** The instant from which on a day that ends at `endMs` can be counted. */
export const countedFrom = (endMs: number) => endMs + COUNTED_AFTER_MS;
/** An instant at which all of June can be counted. */
export const JUNE_COUNTED_MS = countedFrom(JULY_MS) + MINUTE_MS;

/** Instants from one to before another, evenly spaced. Unix ms. */
export const every = (fromMs: number, toMs: number, stepMs: number) =>
  Array.from({ length: Math.ceil((toMs - fromMs) / stepMs) }, (_, i) => fromMs + i * stepMs);
