import { RUN_FAULTS, type RunFaultReason } from "@svc/contract";
import type { ProbeOutcome, ProbeRequest } from "@svc/probes";
import { describe, expect, it } from "vitest";
import { aCheck, anAssignment, aRunResult } from "../../test-support/builders.ts";
import { FakeTime, settle } from "../../test-support/fake-time.ts";
import type { GivenBackSlot } from "../model/assignment.ts";
import { SlotRunner } from "./slot-runner.ts";

const T0 = 1_800_000_000_000;
const MINUTE = 60_000;

/** A runner whose probe answers at once, or (with `hold`) when the test says so. */
function aRunner({ maxInFlight = 100, hold = false, graceMs = MINUTE } = {}) {
  const time = new FakeTime(T0);
  const started: { checkId: string; slotMs: number; atMs: number }[] = [];
  const results: { checkKey: number; locationKey: number; slotMs: number }[] = [];
  const givenBack: GivenBackSlot[] = [];
  const warnings: string[] = [];
  const logged: Record<string, unknown>[] = [];
  const lateness: number[] = [];
  const held: ((outcome: ProbeOutcome) => void)[] = [];
  const probe = async ({ checkId, slotMs }: ProbeRequest): Promise<ProbeOutcome> => {
    started.push({ checkId, slotMs: slotMs - T0, atMs: time.nowMs - T0 });
    return hold ? await new Promise((resolve) => held.push(resolve)) : aRunResult();
  };
  const runner = new SlotRunner({
    nowMs: () => time.nowMs,
    setTimer: time.setTimer,
    probe,
    onResult: ({ check, locationKey, slotMs }) =>
      results.push({ checkKey: check.checkKey, locationKey, slotMs: slotMs - T0 }),
    onGiveBack: (slot) => givenBack.push({ ...slot, slotMs: slot.slotMs - T0 }),
    onStart: (latenessMs) => lateness.push(latenessMs),
    warn: (message, fields) => {
      warnings.push(message);
      logged.push(fields);
    },
    maxInFlight,
  });
  runner.graceMs = graceMs;
  /** `count` checks, every minute, all due now and not before. */
  const assign = (count: number, changes = {}) =>
    runner.applySnapshot({
      checks: Array.from({ length: count }, (_, index) => aCheck({ checkKey: index + 1, ...changes })),
      assignments: Array.from({ length: count }, (_, index) =>
        anAssignment({ checkKey: index + 1, effectiveFromMs: T0 }),
      ),
    });
  return { time, runner, started, results, givenBack, warnings, logged, lateness, held, assign };
}

describe("firing", () => {
  it("runs each slot of the grid once, when it is due", async () => {
    const { time, started, assign } = aRunner();
    assign(1);
    await time.advance(3 * MINUTE);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([0, MINUTE, 2 * MINUTE, 3 * MINUTE]);
    expect(started.every(({ slotMs, atMs }) => atMs - slotMs <= 1)).toBe(true);
  });

  it("does not run slots that have a result already", async () => {
    const { time, runner, started } = aRunner({ graceMs: 5 * MINUTE });
    runner.applySnapshot({
      checks: [aCheck()],
      assignments: [
        anAssignment({ effectiveFromMs: T0 - 3 * MINUTE, doneSlotsMs: [T0 - 2 * MINUTE, T0 - MINUTE] }),
      ],
    });
    await time.advance(0);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([-3 * MINUTE, 0]);
  });

  it("does not run slots whose result a restart found in the spool", async () => {
    const { time, runner, started, assign } = aRunner();
    runner.markDone([{ checkKey: 1, locationKey: 1, slotMs: T0 }]);
    assign(1);
    await time.advance(MINUTE);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([MINUTE]);
  });

  it("runs nothing twice when the check is taken away and comes back", async () => {
    const { time, runner, started, assign } = aRunner();
    assign(1);
    await time.advance(10);
    runner.applySnapshot({ checks: [], assignments: [] });
    assign(1);
    await time.advance(10);
    expect(started).toHaveLength(1);
  });

  it("stays on the grid when the clock is corrected in mid-run", async () => {
    const { time, started, assign } = aRunner();
    assign(1);
    await time.advance(1000);
    time.jump(30_000);
    await time.advance(2000);
    expect(started).toHaveLength(1);
    await time.advance(27_000);
    expect(started.at(-1)).toMatchObject({ slotMs: MINUTE, atMs: MINUTE });
  });
});

describe("a dispatch", () => {
  it("is run at once, and once only when it is repeated", async () => {
    const { time, runner, results } = aRunner();
    const dispatch = { check: aCheck({ checkKey: 7 }), locationKey: 3, slotMs: T0 - 1234 };
    runner.runNow(dispatch);
    runner.runNow(dispatch);
    await time.advance(1);
    runner.runNow(dispatch);
    await time.advance(1);
    expect(results).toEqual([{ checkKey: 7, locationKey: 3, slotMs: -1234 }]);
  });

  it("of a slot older than the grace is run: its lateness is not this runner's", async () => {
    const { time, runner, results } = aRunner();
    runner.runNow({ check: aCheck(), locationKey: 1, slotMs: T0 - 10 * MINUTE });
    await time.advance(1);
    expect(results).toHaveLength(1);
  });

  it("that finds no place until the instant by which it has to begin is given back, though it was dispatched just before", async () => {
    const { time, runner, started, givenBack, assign } = aRunner({ maxInFlight: 1, hold: true });
    assign(1);
    await time.advance(1);
    const before = started.length;
    const beginByMs = time.nowMs + 300;
    runner.runNow({ check: aCheck({ checkKey: 7 }), locationKey: 3, slotMs: T0 - 29_700, beginByMs });
    await time.advance(2_000);
    expect(started).toHaveLength(before);
    expect(givenBack).toMatchObject([{ checkKey: 7, locationKey: 3, reason: "capacity" }]);
  });

  it("of a slot on the grid keeps the grid from running that slot again", async () => {
    const { time, runner, started, assign } = aRunner();
    assign(1);
    runner.runNow({ check: aCheck(), locationKey: 1, slotMs: T0 + MINUTE });
    await time.advance(MINUTE);
    expect(started.map(({ slotMs }) => slotMs)).toEqual([0, MINUTE]);
  });

  it("may bring back a slot that was given back", async () => {
    const { time, runner, held, givenBack, started } = aRunner({ hold: true });
    const dispatch = { check: aCheck(), locationKey: 1, slotMs: T0 };
    runner.runNow(dispatch);
    held[0]?.({ kind: "fault", reason: "network", message: "no route" });
    await time.advance(1);
    expect(givenBack).toMatchObject([{ reason: "network" }]);
    runner.runNow(dispatch);
    await time.advance(1);
    expect(started).toHaveLength(2);
  });
});

describe("the limit of runs begun at a time", () => {
  it("lets no more runs begin than configured, and the rest in order", async () => {
    const { time, runner, started, held, assign } = aRunner({ maxInFlight: 2, hold: true });
    assign(5);
    await time.advance(1);
    expect(started).toHaveLength(2);
    expect([runner.activeRuns, runner.waitingRuns]).toEqual([2, 3]);
    held[0]?.(aRunResult());
    await time.advance(1);
    expect(started.map(({ checkId }) => checkId)).toHaveLength(3);
  });

  it("is not used up for long by targets that hang", async () => {
    const { time, started, assign } = aRunner({ maxInFlight: 2, hold: true });
    assign(6);
    await time.advance(1100);
    expect(started).toHaveLength(6);
  });

  it("that lets a run in too late for the grace gives its slot back for lack of capacity, not as a failure", async () => {
    const { time, runner, results, givenBack, assign } = aRunner({
      maxInFlight: 1,
      hold: true,
      graceMs: 5000,
    });
    assign(30);
    await time.advance(30_000);
    expect(runner.activeRuns).toBe(11);
    // Every half second one more hangs and frees a run place; from 5 s on the rest has waited too long.
    expect(givenBack.length).toBeGreaterThan(0);
    expect(givenBack.every(({ reason, slotMs }) => reason === "capacity" && slotMs === 0)).toBe(true);
    expect(results).toEqual([]);
    expect(givenBack.length + runner.activeRuns).toBe(30);
  });

  it("shows as lateness of the runs that it held up", async () => {
    const { time, held, lateness, assign } = aRunner({ maxInFlight: 1, hold: true });
    assign(2);
    await time.advance(300);
    held[0]?.(aRunResult());
    await time.advance(1);
    expect(lateness).toEqual([0, 300]);
  });

  it("can be lowered and raised", async () => {
    const { time, runner, started, assign } = aRunner({ maxInFlight: 10, hold: true });
    runner.inFlightLimit = 3;
    assign(10);
    await time.advance(1);
    expect(started).toHaveLength(3);
    runner.inFlightLimit = 50;
    expect(runner.inFlightLimit).toBe(10);
    await time.advance(1);
    expect(started).toHaveLength(10);
  });
});

describe("a fault of our own", () => {
  const reasons = Object.keys(RUN_FAULTS) as RunFaultReason[];
  it.each(reasons)("%s: the slot is given back with that reason and there is no result", async (reason) => {
    const { time, held, results, givenBack, assign } = aRunner({ hold: true });
    assign(1);
    held[0]?.({ kind: "fault", reason, message: "" });
    await time.advance(1);
    expect(givenBack).toEqual([{ checkKey: 1, locationKey: 1, slotMs: 0, reason }]);
    expect(results).toEqual([]);
  });

  it("a crash is logged with its reason, once per revision of the check", async () => {
    const { time, held, logged, assign } = aRunner({ hold: true });
    assign(1);
    for (let run = 0; run < 2; run++) {
      held[run]?.({ kind: "fault", reason: "crash", message: `boom ${run}` });
      await time.advance(MINUTE);
    }
    expect(logged).toMatchObject([{ checkId: aCheck().checkId, error: "boom 0" }]);
  });

  it("slots of a configuration that this version does not understand are given back, and logged once", async () => {
    const { time, givenBack, warnings, started, assign } = aRunner();
    assign(1, { configJson: '{"url":"http://127.0.0.1/","laterField":true}' });
    await time.advance(2 * MINUTE);
    expect(givenBack.map(({ reason }) => reason)).toEqual(["unsupported", "unsupported", "unsupported"]);
    expect(warnings).toHaveLength(1);
    expect(started).toEqual([]);
  });

  it.each([
    ["a type of a later version", { type: "dns" }],
    ["text that is no JSON", { configJson: "{" }],
  ])("%s is given back as unsupported", async (_name, changes) => {
    const { time, givenBack, assign } = aRunner();
    assign(1, changes);
    await time.advance(1);
    expect(givenBack).toMatchObject([{ reason: "unsupported" }]);
  });
});

describe("stopping", () => {
  it("gives waiting slots back, lets open runs end, and begins nothing more", async () => {
    const { time, runner, held, results, givenBack, started, assign } = aRunner({
      maxInFlight: 1,
      hold: true,
    });
    assign(3);
    await time.advance(1);
    runner.stop();
    expect(givenBack.map(({ reason }) => reason)).toEqual(["draining", "draining"]);
    runner.runNow({ check: aCheck({ checkKey: 9 }), locationKey: 1, slotMs: T0 });
    expect(givenBack).toHaveLength(3);
    let isIdle = false;
    const idle = runner.idle().then(() => {
      isIdle = true;
    });
    await settle();
    expect(isIdle).toBe(false);
    held[0]?.(aRunResult());
    await idle;
    await time.advance(5 * MINUTE);
    expect(results).toHaveLength(1);
    expect(started).toHaveLength(1);
  });
});
