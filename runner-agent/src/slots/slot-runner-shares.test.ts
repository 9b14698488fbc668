import type { ProbeOutcome, ProbeRequest } from "@svc/probes";
import { describe, expect, it } from "vitest";
import { aCheck, anAssignment, aRunResult } from "../../test-support/builders.ts";
import { FakeTime } from "../../test-support/fake-time.ts";
import type { CheckDefinition, GivenBackSlot } from "../model/assignment.ts";
import { SlotRunner } from "./slot-runner.ts";

const T0 = 1_800_000_000_000;
const SECOND = 1000;

/** A runner of checks, each due every 10 s from now on, whose probe needs as long as `durationMs` says. */
function aRunner(
  checks: readonly CheckDefinition[],
  durationMs: (checkId: string) => number,
  { effectiveFromMs = T0, maxInFlight = 100 } = {},
) {
  const time = new FakeTime(T0);
  const started: { checkId: string; slotMs: number; atMs: number }[] = [];
  const results: number[] = [];
  const givenBack: GivenBackSlot[] = [];
  const probe = async ({ checkId, slotMs }: ProbeRequest): Promise<ProbeOutcome> => {
    started.push({ checkId, slotMs: slotMs - T0, atMs: time.nowMs - T0 });
    const ms = durationMs(checkId);
    if (ms === Number.POSITIVE_INFINITY) return await new Promise(() => {});
    await new Promise<void>((resolve) => time.setTimer(resolve, ms));
    return aRunResult();
  };
  const runner = new SlotRunner({
    nowMs: () => time.nowMs,
    setTimer: time.setTimer,
    probe,
    onResult: ({ slotMs }) => results.push(slotMs - T0),
    onGiveBack: (slot) => givenBack.push({ ...slot, slotMs: slot.slotMs - T0 }),
    onStart: () => {},
    warn: () => {},
    maxInFlight,
  });
  runner.graceMs = 30 * SECOND;
  runner.applySnapshot({
    checks: [...checks],
    assignments: checks.map(({ checkKey }) => anAssignment({ checkKey, effectiveFromMs })),
  });
  return { time, runner, started, results, givenBack };
}

const everyTenSeconds = (checkKey: number, teamNumber = 1) =>
  aCheck({ checkKey, teamNumber, frequencySeconds: 10 });

describe("one open run of a check at a location", () => {
  it("a slot that falls due while the run before it is open is given back for that reason", async () => {
    const { time, results, givenBack } = aRunner([everyTenSeconds(1)], () => 25 * SECOND);
    await time.advance(56 * SECOND);
    expect(results).toEqual([0, 30 * SECOND]);
    expect(givenBack.map(({ slotMs, reason }) => [slotMs, reason])).toEqual([
      [10 * SECOND, "previous_run"],
      [20 * SECOND, "previous_run"],
      [40 * SECOND, "previous_run"],
      [50 * SECOND, "previous_run"],
    ]);
  });

  it("a check whose runs hang never has more than one open, whatever its period", async () => {
    const { time, runner } = aRunner([everyTenSeconds(1)], () => 720 * SECOND);
    await time.advance(700 * SECOND);
    expect(runner.activeRuns).toBe(1);
  });

  it("slots that were late already when it began are run after it, oldest first", async () => {
    const { time, results, givenBack } = aRunner([everyTenSeconds(1)], () => 2 * SECOND, {
      effectiveFromMs: T0 - 20 * SECOND,
    });
    await time.advance(9 * SECOND);
    expect(results).toEqual([-20 * SECOND, -10 * SECOND, 0]);
    expect(givenBack).toEqual([]);
  });

  it("late slots that an open run holds up for longer than the time to them are given back for that reason", async () => {
    const { time, started, givenBack } = aRunner([everyTenSeconds(1)], () => 35 * SECOND, {
      effectiveFromMs: T0 - 10 * SECOND,
    });
    await time.advance(36 * SECOND);
    expect(givenBack.map(({ slotMs, reason }) => [slotMs, reason])).toEqual(
      [0, 10, 20].map((slot) => [slot * SECOND, "previous_run"]),
    );
    expect(started.map(({ slotMs }) => slotMs)).toEqual([-10 * SECOND, 30 * SECOND]);
  });

  it("a slot that falls due just after a late run began is run after it", async () => {
    const { time, runner, started, givenBack } = aRunner([], () => 2 * SECOND);
    await time.advance(9.995 * SECOND);
    runner.applyDelta({
      checks: [everyTenSeconds(1)],
      assignments: [anAssignment({ checkKey: 1, effectiveFromMs: T0 })],
      unassignments: [],
    });
    await time.advance(12.005 * SECOND);
    expect(started).toEqual([
      { checkId: "chk_1", slotMs: 0, atMs: 9.995 * SECOND },
      { checkId: "chk_1", slotMs: 10 * SECOND, atMs: 11.995 * SECOND },
      { checkId: "chk_1", slotMs: 20 * SECOND, atMs: 20 * SECOND },
    ]);
    expect(givenBack).toEqual([]);
  });

  it("a slot that waits for a late run is given back as soon as that run is too long for it", async () => {
    const { time, runner, givenBack } = aRunner([], () => 100 * SECOND);
    await time.advance(9 * SECOND);
    runner.applyDelta({
      checks: [everyTenSeconds(1)],
      assignments: [anAssignment({ checkKey: 1, effectiveFromMs: T0 })],
      unassignments: [],
    });
    await time.advance(9.5 * SECOND);
    expect(givenBack).toEqual([]);
    await time.advance(1.5 * SECOND);
    expect(givenBack.map(({ slotMs, reason }) => [slotMs, reason])).toEqual([[10 * SECOND, "previous_run"]]);
  });

  it("a dispatch is run beside the grid's run, and a further one after it", async () => {
    const check = everyTenSeconds(1);
    const { time, runner, started } = aRunner([check], () => 5 * SECOND);
    for (const slotMs of [T0 + 1, T0 + 2]) runner.runNow({ check, locationKey: 1, slotMs });
    await time.advance(1);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([0, 1]);
    await time.advance(6 * SECOND);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([0, 1, 2]);
  });

  it("dispatches without end are bounded", async () => {
    const check = everyTenSeconds(1);
    const { time, runner, givenBack } = aRunner([check], () => 5 * SECOND);
    for (let index = 0; index < 100; index++)
      runner.runNow({ check, locationKey: 1, slotMs: T0 + 1 + index });
    await time.advance(1);
    expect(runner.activeRuns).toBe(2);
    expect(givenBack.length).toBe(89);
  });

  it("stopping gives back what waits for an open run", async () => {
    const { runner, time, givenBack } = aRunner([everyTenSeconds(1)], () => 2 * SECOND, {
      effectiveFromMs: T0 - 20 * SECOND,
    });
    await time.advance(0);
    runner.stop();
    expect(givenBack.map(({ slotMs, reason }) => [slotMs, reason])).toEqual([
      [-10 * SECOND, "draining"],
      [0, "draining"],
    ]);
  });
});

describe("a team beside one whose targets all hang", () => {
  const HANGING = 5000;
  const strangers = Array.from({ length: HANGING }, (_, index) => everyTenSeconds(index + 1, 7));
  const neighbour = everyTenSeconds(HANGING + 1, 8);
  const duration = (checkId: string) => (checkId === neighbour.checkId ? 20 : Number.POSITIVE_INFINITY);

  it("has its runs begun within 250 ms of when they are due", async () => {
    const { time, started } = aRunner([...strangers, neighbour], duration);
    await time.advance(60 * SECOND);
    const own = started.filter(({ checkId }) => checkId === neighbour.checkId);
    expect(own.map(({ slotMs }) => slotMs / SECOND)).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect(Math.max(...own.map(({ slotMs, atMs }) => atMs - slotMs))).toBeLessThanOrEqual(250);
  });
});
