/** Status over the real database against the plainest computation over the results that were stored. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aResult } from "../../../test-support/builders.ts";
import {
  createSloStories,
  type Objective,
  type SloStories,
  type Span,
  STORY_LOCATIONS,
} from "../../../test-support/slo-story.ts";
import { rollUp } from "../../results/rollups/roll-up.ts";

let stories: SloStories;
let test: TestApp;
beforeAll(async () => {
  stories = await createSloStories();
  test = stories.app;
});
afterAll(() => test.close());

describe("status equals a computation over every result", () => {
  /** A step of a story: time passes, and something happens. */
  const minutesAgo = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 400 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 32 * 1_440 }) },
  );
  const result = fc.record({
    location: fc.integer({ min: 0, max: STORY_LOCATIONS.length - 1 }),
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
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("retain" as const) }) },
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
        const story = await stories.newStory();
        const other = await stories.newStory();
        const objectives = [
          await stories.newObjective(story, { windowDays: 7 }),
          await stories.newObjective(story, { windowDays: 30, thresholdMs: 100 }),
        ];
        // Results come from where the check runs or ran.
        let locationCount = 1;
        let open: { id: string; held: Span } | undefined;
        for (const one of steps) {
          const nowMs = test.clock.nowMs();
          if (one.kind === "time") test.clock.advance(one.minutes * MINUTE_MS + 12_345);
          if (one.kind === "rollUp") await stories.rollUpAt(nowMs - one.lagMinutes * MINUTE_MS);
          if (one.kind === "retain") await stories.forgetBuckets();
          if (one.kind === "results") {
            const { checkKey } = story;
            const slotOf = (ago: number, offsetMs: number) => nowMs - ago * MINUTE_MS - offsetMs;
            await stories.store(
              story,
              one.results.map(({ location, minutesAgo: ago, offsetMs, status, responseTimeUs }) =>
                aResult(
                  {
                    checkKey,
                    locationKey: stories.locationKeys[location % locationCount] as number,
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
            open = await stories.createWindow(story, { mode: one.mode, startsAt, endsAt, checkIds });
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
            const locations = STORY_LOCATIONS.slice(0, one.count);
            locationCount = Math.max(locationCount, one.count);
            await test.call("PUT", `/api/checks/${story.checkId}`, { locations });
          }
          await rollUpMarked();
          for (const objective of objectives) await stories.expectStatus(story, objective);
        }
        await stories.rollUpAt(test.clock.nowMs());
        for (const objective of objectives) await stories.expectStatus(story, objective);
      }),
      { numRuns: 6 },
    );
  });

  /** Late results count once their bucket is computed again; how far the rollups are otherwise must make no difference. */
  async function rollUpMarked(): Promise<void> {
    const progress = await test.services.knex("jobProgress").where({ job: "rollups" }).first("doneUntilMs");
    if (progress) await rollUp(test.services.knex, progress.doneUntilMs);
  }
});
