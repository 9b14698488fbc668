/** The lists of states and the course of a budget say what the status of each SLO says. */
import { DAY_MS, HOUR_MS, MINUTE_MS, type SloStatus } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { aResult } from "../../../test-support/builders.ts";
import { createSloStories, type SloStories, type Story } from "../../../test-support/slo-story.ts";
import { burnRateOf } from "./burn-rate.ts";

let stories: SloStories;
let test: TestApp;
beforeAll(async () => {
  stories = await createSloStories();
  test = stories.app;
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

/** Stores a result each minute from an instant on. */
async function everyMinute(story: Story, fromMs: number, statuses: readonly number[]): Promise<void> {
  const [locationKey = 0] = stories.locationKeys;
  const rows = statuses.map((status, i) =>
    aResult(
      { checkKey: story.checkKey, locationKey, slotMs: fromMs + i * MINUTE_MS },
      { status, responseTimeUs: (i % 9) * 20_000 },
    ),
  );
  await stories.store(story, rows);
}

const statusOf = async (id: string): Promise<SloStatus> =>
  (await test.call("GET", `/api/slos/${id}/status`)).body.state;
const seriesOf = async (id: string) => {
  const { status, body } = await test.call("GET", `/api/slos/${id}/series`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe("the list of states", () => {
  it("answers the state of every SLO, newest first, page by page", async () => {
    const story = await stories.newStory();
    const ids: string[] = [];
    for (const options of [{ windowDays: 7 }, { thresholdMs: 100 }, { targetBasisPoints: 9_500 }]) {
      ids.unshift((await stories.newObjective(story, options)).id);
      test.clock.advance(1_000);
    }
    await everyMinute(story, test.clock.nowMs(), [1, 1, 2, 1, 4, 1, 1, 3, 1, 1]);
    test.clock.advance(11 * MINUTE_MS);
    const { body } = await test.call("GET", "/api/slos/status");
    expect(body.states).toEqual(await Promise.all(ids.map(statusOf)));
    const first = (await test.call("GET", "/api/slos/status?limit=2")).body;
    expect(first.states.map(({ sloId }: SloStatus) => sloId)).toEqual(ids.slice(0, 2));
    const second = (await test.call("GET", `/api/slos/status?limit=2&cursor=${first.nextCursor}`)).body;
    expect(second.states.map(({ sloId }: SloStatus) => sloId)).toEqual(ids.slice(2));
    expect(second.nextCursor).toBeUndefined();
  });

  it("takes as many statements for thirty SLOs as for one", async () => {
    const story = await stories.newStory();
    await stories.newObjective(story);
    const statements = async () => {
      let count = 0;
      const note = () => count++;
      test.services.knex.on("query", note);
      await test.call("GET", "/api/slos/status");
      test.services.knex.removeListener("query", note);
      return count;
    };
    const ofOne = await statements();
    for (let n = 0; n < 29; n++) await stories.newObjective(story);
    expect(await statements()).toBe(ofOne);
  });

  it("is empty for another team", async () => {
    await stories.newObjective(await stories.newStory());
    const stranger = await test.createTeam();
    const { body } = await test.call("GET", "/api/slos/status", undefined, stranger.byKey);
    expect(body.states).toEqual([]);
  });
});

describe("the course of a budget", () => {
  it("ends where the status stands, over rollups and single results, with maintenance left out", async () => {
    const story = await stories.newStory();
    const objective = await stories.newObjective(story, { windowDays: 7, targetBasisPoints: 9_000 });
    const timed = await stories.newObjective(story, { windowDays: 7, thresholdMs: 100 });
    const startMs = test.clock.nowMs();
    const { held } = await stories.createWindow(story, {
      startsAt: new Date(startMs + 20 * MINUTE_MS).toISOString(),
      endsAt: new Date(startMs + 50 * MINUTE_MS).toISOString(),
    });
    await stories.rollUpAt(startMs);
    const statuses = Array.from({ length: 300 }, (_, i) => (i >= 130 && i < 160 ? 2 : i % 40 === 0 ? 4 : 1));
    await everyMinute(story, startMs, statuses);
    test.clock.advance(4 * HOUR_MS);
    await stories.rollUpAt(test.clock.nowMs());
    test.clock.advance(HOUR_MS);
    for (const { id, targetBasisPoints } of [objective, timed]) {
      const [state, series] = [await statusOf(id), await seriesOf(id)];
      const sum = (name: "total" | "bad") =>
        series.points.reduce((all: number, point: Record<string, number>) => all + (point[name] ?? 0), 0);
      expect(sum("total")).toBe(state.totalCount);
      const good = sum("total") - sum("bad");
      const spent = burnRateOf({ total: sum("total"), good }, targetBasisPoints);
      expect(series.points.at(-1).budgetLeft).toBeCloseTo(1 - spent, 10);
      expect(Math.min(1, spent)).toBeCloseTo(state.budgetConsumedRatio, 10);
      expect(series.to).toBe(new Date(test.clock.nowMs()).toISOString());
      expect(series.points.length).toBeLessThanOrEqual(7 * 24 + 1);
    }
    const series = await seriesOf(objective.id);
    expect(series.maintenance).toEqual([
      { from: new Date(held.fromMs).toISOString(), to: new Date(held.toMs).toISOString() },
    ]);
    const [worst] = series.consumers;
    const bad = (fromMs: number, toMs: number) =>
      statuses.filter((status, i) => {
        const atMs = startMs + i * MINUTE_MS;
        return status !== 1 && atMs >= fromMs && atMs < toMs && !(atMs >= held.fromMs && atMs < held.toMs);
      }).length;
    expect(worst.bad).toBe(bad(Date.parse(worst.from), Date.parse(worst.to)));
    expect(worst.bad).toBeGreaterThanOrEqual(15);
  });

  it("tells when the budget is spent at the pace of the last day", async () => {
    const story = await stories.newStory();
    const { id } = await stories.newObjective(story, { windowDays: 30, targetBasisPoints: 5_000 });
    expect((await seriesOf(id)).exhaustedAt).toBeNull();
    await everyMinute(
      story,
      test.clock.nowMs(),
      Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 2 : 1)),
    );
    test.clock.advance(HOUR_MS);
    const [state, { exhaustedAt }] = [await statusOf(id), await seriesOf(id)];
    const leftMs = ((1 - state.budgetConsumedRatio) / state.burnRate24h) * 30 * DAY_MS;
    expect(Date.parse(exhaustedAt) - test.clock.nowMs()).toBeCloseTo(leftMs, -1);
  });

  it("counts the slots of the window that have no result, outside maintenance", async () => {
    const [whole, held] = [await stories.newStory(), await stories.newStory()];
    const [ofWhole, ofHeld] = [await stories.newObjective(whole), await stories.newObjective(held)];
    const nowMs = test.clock.nowMs();
    await stories.createWindow(held, {
      startsAt: new Date(nowMs + HOUR_MS).toISOString(),
      endsAt: new Date(nowMs + 2 * HOUR_MS).toISOString(),
    });
    await everyMinute(whole, nowMs, [1, 1, 2]);
    test.clock.advance(6 * HOUR_MS);
    const { coverage } = await seriesOf(ofWhole.id);
    expect(coverage.received).toBe(3);
    expect(coverage.missing).toBe(coverage.expected - 3);
    // Slots each five minutes, for at least five whole hours since the check's creation.
    expect(coverage.expected).toBeGreaterThanOrEqual(5 * 12 - 1);
    expect(coverage.expected).toBeLessThanOrEqual(6 * 12);
    expect(Math.abs((await seriesOf(ofHeld.id)).coverage.expected - (coverage.expected - 12))).toBeLessThan(
      2,
    );
  });

  it("is another team's business only there", async () => {
    const { id } = await stories.newObjective(await stories.newStory());
    const stranger = await test.createTeam();
    const { status, body } = await test.call("GET", `/api/slos/${id}/series`, undefined, stranger.byKey);
    expect([status, body]).toEqual([404, { error: "SLO not found" }]);
  });
});
