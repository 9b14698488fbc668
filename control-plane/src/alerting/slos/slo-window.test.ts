/** The window of an SLO: what is kept of the results in it, and for whom. */
import { DAY_MS, HOUR_MS, MINUTE_MS, type SloId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aResult } from "../../../test-support/builders.ts";
import { createSloStories, type SloStories } from "../../../test-support/slo-story.ts";
import { dayOf, ensurePartitions } from "../../results/retention/partitions.ts";
import { retain } from "../../results/retention/retain.ts";
import { readBurnRates } from "./read-burn-rates.ts";

let stories: SloStories;
let test: TestApp;
beforeAll(async () => {
  stories = await createSloStories();
  test = stories.app;
});
afterAll(() => test.close());

describe("an SLO's window", () => {
  it("outlives the results: rolled up, and kept one by one where a maintenance window begins or ends", async () => {
    test.team = await test.createTeam();
    const story = await stories.newStory();
    const objective = await stories.newObjective(story, { windowDays: 30 });
    const timed = await stories.newObjective(story, { windowDays: 30, thresholdMs: 100 });
    const startMs = test.clock.nowMs();
    await stories.createWindow(story, {
      startsAt: new Date(startMs + 7 * MINUTE_MS + 30_000).toISOString(),
      endsAt: new Date(startMs + 93 * MINUTE_MS + 1).toISOString(),
    });
    const { checkKey } = story;
    await stories.rollUpAt(startMs);
    const results = Array.from({ length: 400 }, (_, i) =>
      aResult(
        { checkKey, locationKey: stories.locationKeys[0] as number, slotMs: startMs + i * 30_000 },
        { status: i % 7 === 0 ? 2 : 1, responseTimeUs: 90_000 + (i % 5) * 5_000 },
      ),
    );
    await stories.store(story, results);
    test.clock.advance(4 * HOUR_MS);
    await stories.rollUpAt(test.clock.nowMs());
    const before = await stories.expectStatus(story, objective);
    test.clock.advance(10 * DAY_MS);
    await stories.rollUpAt(test.clock.nowMs());
    await retain(test.services.knex, test.clock.nowMs(), {
      retentionDays: 7,
      rollupRetentionMonths: 13,
      alertRetentionDays: 90,
      incidentRetentionDays: 90,
      historyRetentionDays: 400,
      changeLogBytesMax: 1e9,
    });
    expect(await test.services.knex("results").where({ checkKey })).toEqual([]);
    const after = await stories.expectStatus(story, objective);
    expect(after.totalCount).toBe(before.totalCount);
    await stories.expectStatus(story, timed);
    await ensurePartitions(test.services.knex, dayOf(startMs) - 32 * DAY_MS, test.clock.nowMs());
  });

  it("is its own team's: another team's rule can't read its burn rate", async () => {
    test.team = await test.createTeam();
    const story = await stories.newStory();
    const sloId = (await stories.newObjective(story)).id as SloId;
    const slotMs = test.clock.nowMs() - MINUTE_MS;
    const key = { checkKey: story.checkKey, locationKey: stories.locationKeys[0] as number, slotMs };
    await stories.store(story, [aResult(key, { status: 2 })]);
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
