import { expect, it } from "vitest";
import { WorkCutOff, withinTime } from "./thread-job.ts";

const LIMIT_MS = 20;

/** Work that never ends in its first `endless` runs, and counts them. */
function workThat({ endless }: { endless: number }): { work: () => string; runs: () => number } {
  let runs = 0;
  const work = () => {
    runs += 1;
    while (runs <= endless);
    return "done";
  };
  return { work, runs: () => runs };
}

/** Waits of a thread, one for each time that it is asked, ms. */
const withWaits = (...ms: number[]) => ({ waitMs: () => ms.shift() ?? 0 });

it("ends work that runs for longer than it may", () => {
  const { work, runs } = workThat({ endless: 1 });
  expect(() => withinTime(LIMIT_MS, work, withWaits(5_000, 5_001))).toThrow(WorkCutOff);
  expect(runs()).toBe(1);
});

it("begins work once more that had to wait for the processor", () => {
  const { work, runs } = workThat({ endless: 1 });
  expect(withinTime(LIMIT_MS, work, withWaits(5_000, 5_000 + LIMIT_MS))).toBe("done");
  expect(runs()).toBe(2);
});

it("ends work that never ends, however long it had to wait", () => {
  const { work, runs } = workThat({ endless: 2 });
  expect(() => withinTime(LIMIT_MS, work, withWaits(0, LIMIT_MS, 2 * LIMIT_MS))).toThrow(WorkCutOff);
  expect(runs()).toBe(2);
});

it("passes on the work's own error, and does not begin it again", () => {
  let runs = 0;
  const work = () => {
    runs += 1;
    throw new TypeError("bad input");
  };
  expect(() => withinTime(LIMIT_MS, work, withWaits(0, LIMIT_MS))).toThrow("bad input");
  expect(runs).toBe(1);
});
