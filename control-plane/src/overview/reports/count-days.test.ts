/** Counts of days over the real database, against the plainest count of what was stored, and against SLOs. */
import { type CheckId, DAY_MS, HOUR_MS, MINUTE_MS, phaseMs, type Report, slotAtOrAfter } from "@svc/contract";
import { describe, expect, it } from "vitest";
import {
  countedFrom,
  every,
  JULY_MS,
  JUNE_COUNTED_MS,
  JUNE_MS,
  setUpReportTests,
} from "../../../test-support/report-test.ts";
import { retain } from "../../results/retention/retain.ts";
import { countDueDays } from "./count-days.ts";

const reports = setUpReportTests();

const NEVER_DROPPED = { retentionDays: 60, rollupRetentionMonths: 13 };

/** Slots of a check's grid from one instant to before another, by looking at each. */
const gridSlots = (id: string, frequencySeconds: number, fromMs: number, toMs: number) => {
  const periodMs = frequencySeconds * 1_000;
  const first = slotAtOrAfter(fromMs, periodMs, phaseMs(id as CheckId, frequencySeconds));
  return every(first, toMs, periodMs);
};
const figures = ({
  expected,
  received,
  success,
}: {
  expected: number;
  received: number;
  success: number;
}) => [expected, received, success];

describe("availability of a month", () => {
  it("is that of an SLO whose window is the month, maintenance and late results included", async () => {
    const story = await reports.aStory({ frequencySeconds: 600 });
    const slo = await reports.stories.newObjective(story, { targetBasisPoints: 9_000 });
    const timed = await reports.stories.newObjective(story, { targetBasisPoints: 9_900, thresholdMs: 100 });
    await reports.store(
      story,
      every(JUNE_MS, JULY_MS, 53 * MINUTE_MS + 311),
      [1, 1, 2, 1, 4, 1, 1, 1, 3, 1, 1],
    );
    for (const [day, hours] of [
      [3, 2.51],
      [9, 30],
      [21, 0.2],
    ] as const) {
      reports.moveTo(JUNE_MS + day * DAY_MS + 7 * HOUR_MS + 61_000);
      await reports.stories.createWindow(story, {
        endsAt: new Date(reports.test.clock.nowMs() + hours * HOUR_MS).toISOString(),
      });
    }
    reports.moveTo(JULY_MS);
    const status = await reports.stories.expectStatus(story, slo);
    const ofTimed = await reports.stories.expectStatus(story, timed);
    reports.moveTo(JUNE_COUNTED_MS);
    expect(await reports.countAt(JUNE_COUNTED_MS)).toBe(31);
    const report = await reports.report();
    expect([report.totals.received, report.totals.success]).toEqual([status.totalCount, status.successCount]);
    expect(report.totals.availabilityBasisPoints).toBe(Math.floor(status.availability * 10_000));
    expect(report.totals.received).toBeLessThan(story.results.size);
    const shown = (id: string) => report.slos.find(({ sloId }) => sloId === id) as Report["slos"][0];
    expect(shown(slo.id).spentMinutes).toBeCloseTo(status.errorBudgetConsumed, 6);
    expect(shown(slo.id).budgetMinutes).toBeCloseTo(status.errorBudgetTotal, 6);
    expect(shown(timed.id).goodBasisPoints).toBe(
      Math.floor((ofTimed.perfComplianceRatio as number) * 10_000),
    );
    expect(shown(timed.id).spentMinutes).toBeCloseTo(ofTimed.errorBudgetConsumed, 6);
    expect(report.slos.map(({ sloId }) => sloId)).toEqual([timed.id, slo.id]);
    expect(report.slots.inMaintenance).toBeGreaterThan(0);
  });

  it("outlives results, schedules, rollups and the SLO itself", async () => {
    const { knex } = reports.test.services;
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    const slo = await reports.stories.newObjective(story);
    await reports.store(story, gridSlots(story.checkId, 3_600, JUNE_MS, JULY_MS), [1, 1, 1, 2]);
    await reports.countAt(JUNE_COUNTED_MS);
    reports.moveTo(JUNE_COUNTED_MS);
    const before = await reports.report();
    await reports.test.call("DELETE", `/api/slos/${slo.id}`);
    await knex("results").delete();
    await knex("rollups").delete();
    await reports.test.call("PUT", `/api/checks/${story.checkId}`, { frequencySeconds: 60 });
    await retain(knex, JUNE_COUNTED_MS + 90 * DAY_MS, {
      ...NEVER_DROPPED,
      alertRetentionDays: 1,
      incidentRetentionDays: 1,
      historyRetentionDays: 1,
      changeLogBytesMax: 1_000_000,
    });
    const after = await reports.report();
    expect(after).toEqual({ ...before, slos: before.slos.map((one) => ({ ...one, isDeleted: true })) });
    expect(before.slos).toMatchObject([{ sloId: slo.id, isDeleted: false, checkName: "Home page" }]);
  });
});

describe("slots of a month", () => {
  it.each([
    ["60 s", 60, 27 * DAY_MS + 3 * HOUR_MS + 17],
    ["a day", 86_400, 11 * DAY_MS + 1],
    ["11 s", 11, 28 * DAY_MS + 23 * HOUR_MS + 59_999],
  ])("with a frequency of %s are those since the check was created", async (_, frequencySeconds, afterMs) => {
    const createdMs = JUNE_MS + afterMs;
    reports.moveTo(createdMs);
    const story = await reports.aStory({ frequencySeconds });
    const slots = gridSlots(story.checkId, frequencySeconds, createdMs, JULY_MS);
    // Half of them have a result; what is due in July is July's.
    await reports.store(story, slots.slice(0, Math.ceil(slots.length / 2)));
    await reports.store(story, gridSlots(story.checkId, frequencySeconds, JULY_MS, JULY_MS + 1));
    reports.moveTo(JUNE_COUNTED_MS);
    await reports.countAt(JUNE_COUNTED_MS);
    const { totals, slots: counted, days, daysNotMeasured } = await reports.report();
    // The check's first run is a slot beside its grid.
    const runs = await reports.test.services.knex("manualRuns").where({ checkKey: story.checkKey });
    expect(runs).toHaveLength(1);
    const received = Math.ceil(slots.length / 2);
    expect(figures(totals)).toEqual([slots.length + 1, received, received]);
    expect(totals.measuredBasisPoints).toBe(Math.floor((received * 10_000) / (slots.length + 1)));
    expect(totals.availabilityBasisPoints).toBe(received === 0 ? null : 10_000);
    expect(counted).toEqual({
      expected: slots.length + 1,
      received,
      missing: slots.length + 1 - received,
      missingByReason: [{ reason: "no_runner", count: slots.length + 1 - received }],
      givenBack: 0,
      inMaintenance: 0,
    });
    const firstDay = Math.floor(afterMs / DAY_MS);
    expect(days.findIndex(({ expected }) => expected > 0)).toBe(firstDay);
    expect(days.every(({ isCounted }) => isCounted)).toBe(true);
    expect(daysNotMeasured).toEqual(
      days.filter((day) => day.expected > 0 && day.received === 0).map(({ date }) => date),
    );
  });

  it("belong to the month of their instant, to the millisecond", async () => {
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, [JULY_MS - 1], [2]);
    await reports.store(story, [JUNE_MS, JULY_MS], [1]);
    await reports.countAt(countedFrom(JULY_MS + DAY_MS));
    reports.moveTo(countedFrom(JULY_MS + DAY_MS));
    const june = await reports.report();
    expect([june.from, june.to]).toEqual(["2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"]);
    expect(figures(june.totals).slice(1)).toEqual([2, 1]);
    expect([june.days[0]?.success, june.days[29]?.received, june.days[29]?.success]).toEqual([1, 1, 0]);
    const july = await reports.report("2026-07");
    expect([july.isComplete, july.days[0]?.received, july.totals.received]).toEqual([false, 1, 1]);
    expect(july.countedUntil).toBe("2026-07-02T00:00:00.000Z");
    expect(july.days).toHaveLength(31);
    expect(july.daysNotCounted).toEqual([]);
  });

  it("say which runners gave back, outside maintenance", async () => {
    const { knex } = reports.test.services;
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    const slots = gridSlots(story.checkId, 3_600, JUNE_MS, JUNE_MS + DAY_MS);
    await reports.store(story, slots.slice(0, 20), [1]);
    const locationKey = reports.stories.locationKeys[0] as number;
    const reasons = [slots[20], slots[21], slots[22]].map((slotMs) => ({
      checkKey: story.checkKey,
      locationKey,
      slotMs,
      reason: "runner_capacity",
    }));
    await knex("missedSlots").insert(reasons);
    reports.moveTo((slots[22] as number) - 1_000);
    await reports.stories.createWindow(story, {
      endsAt: new Date((slots[22] as number) + 1_000).toISOString(),
    });
    reports.moveTo(countedFrom(JUNE_MS + DAY_MS));
    await reports.countAt(reports.test.clock.nowMs());
    const { slots: counted } = await reports.report();
    // 24 slots and the first run; one in maintenance.
    expect(counted).toMatchObject({ expected: 24, received: 20, missing: 4, givenBack: 2, inMaintenance: 1 });
    expect(counted.missingByReason).toEqual([
      { reason: "no_runner", count: 2 },
      { reason: "runner_capacity", count: 2 },
    ]);
  });
});

describe("counting", () => {
  it("counts a day once it has ended and settled, and never twice", async () => {
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, [JUNE_MS + 1, JUNE_MS + DAY_MS - 1]);
    const endMs = JUNE_MS + DAY_MS;
    await reports.countAt(countedFrom(endMs) - 1);
    expect((await reports.report()).countedUntil).toBeNull();
    expect(await reports.countAt(countedFrom(endMs))).toBe(1);
    expect(await reports.countAt(countedFrom(endMs))).toBe(0);
    expect((await reports.report()).totals.received).toBe(2);
  });

  it("counts again while results come late", async () => {
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    const dayMs = (day: number) => JUNE_MS + day * DAY_MS;
    await reports.store(story, [JUNE_MS]);
    await reports.countAt(countedFrom(dayMs(1)));
    await reports.store(story, [JUNE_MS + 5_000], [2]);
    await reports.countAt(countedFrom(dayMs(3)));
    expect(figures((await reports.report()).totals).slice(1)).toEqual([2, 1]);
    // After two more days the figures stay.
    await reports.store(story, [JUNE_MS + 9_000], [2]);
    await reports.countAt(countedFrom(dayMs(4)));
    expect((await reports.report()).days[0]?.received).toBe(2);
  });

  it("goes on where it was aborted, and ends the same", async () => {
    const { knex } = reports.test.services;
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, every(JUNE_MS, JULY_MS, HOUR_MS));
    reports.moveTo(JUNE_COUNTED_MS);
    await reports.countAt(JUNE_COUNTED_MS);
    const whole = await reports.report();
    await knex("jobProgress")
      .where({ job: "reports" })
      .update({ doneUntilMs: JUNE_MS + 9 * DAY_MS });
    await reports.countAt(JUNE_COUNTED_MS);
    await Promise.all([reports.countAt(JUNE_COUNTED_MS), reports.countAt(JUNE_COUNTED_MS)]);
    expect(await reports.report()).toEqual(whole);
  });

  it("says which days it came too late for", async () => {
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, every(JUNE_MS, JULY_MS, HOUR_MS));
    reports.moveTo(JUNE_COUNTED_MS);
    await reports.countAt(JUNE_COUNTED_MS, 10);
    const report = await reports.report();
    expect(report.isComplete).toBe(true);
    expect(report.daysNotCounted).toEqual(report.days.slice(0, 20).map(({ date }) => date));
    expect(report.totals.received).toBe(10 * 24);
  });

  it("forgets months as long ago as rollups are kept", async () => {
    const { knex } = reports.test.services;
    await reports.aStory({ frequencySeconds: 3_600 });
    await reports.countAt(countedFrom(JUNE_MS + 2 * DAY_MS));
    const countAYearLater = async (ms: number) => {
      await knex("jobProgress").where({ job: "rollups" }).update({ doneUntilMs: ms });
      await countDueDays(knex, ms, { retentionDays: 3, rollupRetentionMonths: 13 });
      reports.moveTo(ms);
    };
    await countAYearLater(Date.UTC(2027, 6, 20, 5));
    expect((await reports.report()).totals.expected).toBeGreaterThan(0);
    await countAYearLater(Date.UTC(2027, 7, 2, 5));
    expect((await reports.report()).totals).toMatchObject({ checkCount: 0, expected: 0 });
    expect(await knex("reportChecks").where({ month: "2026-06" })).toEqual([]);
  });
});
