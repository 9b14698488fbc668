/** Why slots of counted days are missing: as the slots of each check say while that is known, and bounded. */
import { type CheckId, DAY_MS, HOUR_MS, MINUTE_MS, phaseMs, slotAtOrAfter } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { storePresence } from "../../../test-support/presences.ts";
import {
  countedFrom,
  every,
  JUNE_COUNTED_MS,
  JUNE_MS,
  setUpReportTests,
} from "../../../test-support/report-test.ts";
import { countReasons } from "./missing-reasons.ts";

const reports = setUpReportTests();

const locationKey = () => reports.stories.locationKeys[0] as number;
const slotsOfDay = (id: string, frequencySeconds: number, dayMs = JUNE_MS) =>
  every(
    slotAtOrAfter(dayMs, frequencySeconds * 1_000, phaseMs(id as CheckId, frequencySeconds)),
    dayMs + DAY_MS,
    frequencySeconds * 1_000,
  );
const record = (checkKey: number, slotsMs: readonly number[], reason: string) =>
  reports.test.services
    .knex("missedSlots")
    .insert(slotsMs.map((slotMs) => ({ checkKey, locationKey: locationKey(), slotMs, reason })));

/** Missing slots of a check on a day by reason, as its slots show them. */
async function reasonsOfSlots(checkId: string, dayMs: number): Promise<Record<string, number>> {
  const range = `from=${new Date(dayMs).toISOString()}&to=${new Date(dayMs + DAY_MS).toISOString()}`;
  const { status, body } = await reports.test.call("GET", `/api/checks/${checkId}/slots?${range}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.locations[0].missing;
}

describe("missing slots of a month", () => {
  it.each([
    [60, 0],
    [600, 1],
    [90, 4],
  ])("of a check every %i s are explained as its slots are", async (frequencySeconds, shift) => {
    const { knex } = reports.test.services;
    const [first, second] = [
      await reports.aStory({ frequencySeconds }),
      await reports.aStory({ frequencySeconds, name: "Other" }),
    ];
    const at = (hours: number) => JUNE_MS + hours * HOUR_MS;
    await storePresence(knex, locationKey(), { fromMs: at(2), untilMs: at(9 + shift) });
    await storePresence(knex, locationKey(), { fromMs: at(12), untilMs: at(15), capabilities: ["tcp"] });
    await storePresence(knex, locationKey(), { fromMs: at(17), untilMs: at(30) });
    for (const story of [first, second]) {
      const slots = slotsOfDay(story.checkId, frequencySeconds);
      await reports.store(
        story,
        slots.filter((slotMs, i) => slotMs > at(5) && slotMs < at(20) && i % 7 !== 0),
      );
    }
    const slots = slotsOfDay(first.checkId, frequencySeconds);
    await record(first.checkKey, slots.slice(1, 9), "previous_run");
    // A slot that was recorded as missed, and whose result came late.
    const late = slots.find((slotMs) => slotMs > at(1) && !slots.slice(1, 9).includes(slotMs)) as number;
    await record(first.checkKey, [late], "runner_oom");
    await reports.store(first, [late]);
    reports.moveTo(countedFrom(JUNE_MS + DAY_MS));
    await reports.countAt(reports.test.clock.nowMs());
    const wanted = new Map<string, number>();
    for (const { checkId } of [first, second])
      for (const [reason, count] of Object.entries(await reasonsOfSlots(checkId, JUNE_MS)))
        wanted.set(reason, (wanted.get(reason) ?? 0) + count);
    const { missing, missingByReason } = (await reports.report()).slots;
    expect(new Map(missingByReason.map(({ reason, count }) => [reason, count]))).toEqual(wanted);
    expect(missingByReason.reduce((sum, { count }) => sum + count, 0)).toBe(missing);
    expect(missingByReason.map(({ count }) => count)).toEqual([...wanted.values()].sort((a, b) => b - a));
    expect([...wanted.keys()]).toEqual(
      expect.arrayContaining(["no_runner", "no_capable_runner", "previous_run", "unknown"]),
    );
  });

  it("are not named within maintenance", async () => {
    const story = await reports.aStory({ frequencySeconds: 60 });
    reports.moveTo(JUNE_MS + 3 * HOUR_MS);
    await reports.stories.createWindow(story, { endsAt: new Date(JUNE_MS + 23 * HOUR_MS).toISOString() });
    await reports.store(story, slotsOfDay(story.checkId, 60).slice(0, 100));
    reports.moveTo(countedFrom(JUNE_MS + DAY_MS));
    await reports.countAt(reports.test.clock.nowMs());
    const { missing, missingByReason, inMaintenance } = (await reports.report()).slots;
    expect(inMaintenance).toBe(20 * 60);
    // The first run, too.
    expect([missing, missingByReason]).toEqual([141, [{ reason: "no_runner", count: 141 }]]);
  });

  it("say that a reason is not recorded where a day was counted without, and not 0", async () => {
    const { knex } = reports.test.services;
    const story = await reports.aStory({ frequencySeconds: 3_600 });
    await reports.store(story, slotsOfDay(story.checkId, 3_600).slice(0, 20));
    await reports.countAt(countedFrom(JUNE_MS + 5 * DAY_MS));
    reports.moveTo(JUNE_COUNTED_MS);
    const before = (await reports.report()).slots;
    expect(before.missingByReason).toEqual([{ reason: "no_runner", count: before.missing }]);
    const of = (day: number) => ({ dayMs: JUNE_MS + day * DAY_MS, checkKey: story.checkKey });
    await knex("reportDays").where(of(2)).update({ missingReasons: null });
    await knex("reportDays")
      .where(of(3))
      .update({ missingReasons: { a_later_reason: 24 } });
    expect((await reports.report()).slots).toEqual({
      ...before,
      missingByReason: [
        { reason: "no_runner", count: before.missing - 48 },
        { reason: "unknown", count: 24 },
        { reason: "not_recorded", count: 24 },
      ],
    });
    await knex("reportDays").update({ missingReasons: null });
    expect((await reports.report()).slots.missingByReason).toEqual([
      { reason: "not_recorded", count: before.missing },
    ]);
  });

  it("are explained one by one up to a number, and then by what is recorded alone", async () => {
    const stories = [
      await reports.aStory({ frequencySeconds: 60 }),
      await reports.aStory({ frequencySeconds: 60 }),
    ];
    const dayOf = { fromMs: JUNE_MS, toMs: JUNE_MS + DAY_MS, nowMs: JUNE_MS + 2 * DAY_MS };
    const gaps = stories.map(({ checkKey }) => ({
      check: { key: checkKey, type: "http", retry: null, usesVault: false, config: {} } as never,
      missing: 100,
      spans: [
        {
          locationKey: locationKey(),
          firstSlotMs: JUNE_MS,
          lastSlotMs: JUNE_MS + 98 * MINUTE_MS,
          periodMs: MINUTE_MS,
          staggerMs: 0,
        },
      ],
      recorded: [{ checkKey, reason: "runner_crash", count: 30 }],
    }));
    const day = { ...dayOf, slotsLeft: 99 };
    const counted = await countReasons(reports.test.services.knex, gaps, day);
    // One more is missing than has no result: nobody knows why.
    expect(counted.get(stories[0]?.checkKey as number)).toEqual({ no_runner: 99, not_explained: 1 });
    expect(counted.get(stories[1]?.checkKey as number)).toEqual({ runner_crash: 30, not_explained: 70 });
    expect(day.slotsLeft).toBe(0);
  });
});
