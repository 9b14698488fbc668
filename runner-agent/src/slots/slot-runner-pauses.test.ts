import { setMaxListeners } from "node:events";
import type { ProbeOutcome } from "@svc/probes";
import { describe, expect, it } from "vitest";
import { aCheck, anAssignment, aRunResult } from "../../test-support/builders.ts";
import { FakeTime } from "../../test-support/fake-time.ts";
import { SlotRunner } from "./slot-runner.ts";

const T0 = 1_800_000_000_000;
const SECOND = 1000;

/**
 * A runner of `count` checks that pause for a minute between two attempts, and of one that doesn't; it has 20 run
 * places.
 */
function aRunner(count: number) {
  const time = new FakeTime(T0);
  const stopped = new AbortController();
  setMaxListeners(0, stopped.signal);
  const started: { checkKey: number; atMs: number }[] = [];
  const attempts: number[] = [];
  const faults: string[] = [];
  const runner = new SlotRunner({
    nowMs: () => time.nowMs,
    setTimer: time.setTimer,
    probe: async (_request, { check: { checkKey } }, pause): Promise<ProbeOutcome> => {
      started.push({ checkKey, atMs: time.nowMs - T0 });
      if (checkKey > count) return aRunResult();
      try {
        await pause(60 * SECOND, stopped.signal);
      } catch {
        return { kind: "fault", reason: "draining", message: "stopping" };
      }
      attempts.push(time.nowMs - T0);
      await new Promise<void>((resolve) => time.setTimer(resolve, 5 * SECOND));
      return aRunResult();
    },
    onResult: () => {},
    onGiveBack: ({ reason }) => faults.push(reason),
    onStart: () => {},
    warn: () => {},
    maxInFlight: 1,
  });
  const checks = Array.from({ length: count }, (_, index) =>
    aCheck({ checkKey: index + 1, teamNumber: 1, frequencySeconds: 3600 }),
  );
  const neighbour = aCheck({ checkKey: count + 1, teamNumber: 1, frequencySeconds: 10 });
  runner.graceMs = 30 * SECOND;
  runner.applySnapshot({
    checks: [...checks, neighbour],
    assignments: [...checks, neighbour].map(({ checkKey }) =>
      anAssignment({ checkKey, effectiveFromMs: T0 }),
    ),
  });
  return { time, runner, started, attempts, faults, stopped, neighbourKey: count + 1 };
}

describe("a run that waits between two attempts", () => {
  it("holds no place: others are run meanwhile", async () => {
    const { time, started, faults, neighbourKey, runner } = aRunner(40);
    await time.advance(59 * SECOND);
    expect(started.filter(({ checkKey }) => checkKey < neighbourKey)).toHaveLength(40);
    expect(started.filter(({ checkKey }) => checkKey === neighbourKey).length).toBeGreaterThanOrEqual(3);
    expect(faults.filter((reason) => reason === "capacity")).toEqual([]);
    expect(runner.activeRuns).toBe(40);
  });

  it("waits for a place to go on: no more runs are open than there are places", async () => {
    const { time, attempts } = aRunner(40);
    await time.advance(200 * SECOND);
    expect(attempts).toHaveLength(40);
    const openAt = (atMs: number) => attempts.filter((ms) => ms <= atMs && atMs < ms + 5 * SECOND).length;
    expect(Math.max(...attempts.map(openAt))).toBeLessThanOrEqual(20);
  });

  it("ends at once when the agent stops, and leaves nothing behind", async () => {
    const { time, runner, stopped, faults } = aRunner(5);
    await time.advance(30 * SECOND);
    runner.stop();
    const idle = runner.idle();
    stopped.abort(new Error("stopping"));
    await idle;
    expect(runner.activeRuns).toBe(0);
    expect(faults.filter((reason) => reason === "draining").length).toBeGreaterThanOrEqual(5);
  });

  it("is not held up by an agent that takes nothing new", async () => {
    const { time, runner, attempts } = aRunner(5);
    await time.advance(30 * SECOND);
    runner.stop();
    await time.advance(40 * SECOND);
    expect(attempts).toHaveLength(5);
    expect(runner.activeRuns).toBe(0);
  });
});
