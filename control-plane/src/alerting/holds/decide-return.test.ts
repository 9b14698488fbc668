import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideReturn, lastSuccessMs } from "./decide-return.ts";

const START = 10_000_000;

/** Plays a check that begins to run some time after its location is back. @returns when its alert is notified, in ms since the return */
function notifiedAfterMs(
  frequencySeconds: number,
  runs: { firstAfterMs: number; lateMs: number; isFailing: (run: number) => boolean; count: number },
  untilMs: number,
): number | null {
  const periodMs = frequencySeconds * 1000;
  let freeSinceMs: number | null = null;
  for (let afterMs = 0; afterMs <= untilMs; afterMs += 1000) {
    const lastRun = Math.min(
      Math.floor((afterMs - runs.lateMs - runs.firstAfterMs) / periodMs),
      runs.count - 1,
    );
    const newest =
      lastRun < 0
        ? { slotMs: START - 1, isFailing: true }
        : { slotMs: START + runs.firstAfterMs + lastRun * periodMs, isFailing: runs.isFailing(lastRun) };
    const decision = decideReturn(
      { frequencySeconds, freeSinceMs, isAboutFailure: true },
      [{ locationKey: 1, ...newest }],
      START + afterMs,
    );
    if (decision.kind === "release") return afterMs;
    freeSinceMs = decision.freeSinceMs;
  }
  return null;
}

describe("in any history after the return of a location", () => {
  const frequency = fc.constantFrom(10, 60, 300, 900, 1_500);
  const late = fc.integer({ min: 0, max: 30_000 });
  const firstIn = (frequencySeconds: number, share: number) => Math.floor(share * frequencySeconds * 1000);
  const share = fc.double({ min: 0, max: 0.999, noNaN: true });

  it("a check that fails on is notified within two periods and two minutes, and not before one run", () => {
    fc.assert(
      fc.property(frequency, late, share, (frequencySeconds, lateMs, at) => {
        const firstAfterMs = firstIn(frequencySeconds, at);
        const runs = { firstAfterMs, lateMs, isFailing: () => true, count: 1e9 };
        const boundMs = (2 * frequencySeconds + 120) * 1000;
        const afterMs = notifiedAfterMs(frequencySeconds, runs, boundMs) ?? Number.POSITIVE_INFINITY;
        expect(afterMs).toBeLessThanOrEqual(boundMs);
        expect(afterMs).toBeGreaterThanOrEqual(firstAfterMs + lateMs);
      }),
      { numRuns: 40 },
    );
  });

  it("a check that succeeds from then on is never notified", () => {
    fc.assert(
      fc.property(frequency, late, share, (frequencySeconds, lateMs, at) => {
        const runs = {
          firstAfterMs: firstIn(frequencySeconds, at),
          lateMs,
          isFailing: () => false,
          count: 1e9,
        };
        expect(notifiedAfterMs(frequencySeconds, runs, 6 * 3_600_000)).toBeNull();
      }),
      { numRuns: 10 },
    );
  });

  it("a check whose results stop after some, or never come, is held for a stated time at most", () => {
    fc.assert(
      fc.property(frequency, fc.integer({ min: 0, max: 3 }), share, (frequencySeconds, count, at) => {
        const runs = {
          firstAfterMs: firstIn(frequencySeconds, at),
          lateMs: 1_000,
          isFailing: () => false,
          count,
        };
        const boundMs = count * frequencySeconds * 1000 + lastSuccessMs(frequencySeconds);
        expect(notifiedAfterMs(frequencySeconds, runs, boundMs)).not.toBeNull();
      }),
      { numRuns: 20 },
    );
  });
});

it.each([
  [10, 65 * 60_000],
  [3_600, 122 * 60_000],
  [86_400, 2_882 * 60_000],
])("a success of a check of %i s keeps its alert waiting for %i ms", (frequencySeconds, expectedMs) => {
  const alert = { frequencySeconds, freeSinceMs: START, isAboutFailure: true };
  const newest = [{ locationKey: 1, slotMs: START, isFailing: false }];
  expect(decideReturn(alert, newest, START + expectedMs - 1).kind).toBe("wait");
  expect(decideReturn(alert, newest, START + expectedMs).kind).toBe("release");
});

it.each([
  [10, 40_000],
  [60, 90_000],
  [3_600, 330_000],
])(
  "an alert about slow runs of a check of %i s is notified after %i ms though every run succeeds",
  (frequencySeconds, waitMs) => {
    const alert = { frequencySeconds, freeSinceMs: START, isAboutFailure: false };
    const newest = [{ locationKey: 1, slotMs: START + 5_000, isFailing: false }];
    expect(decideReturn(alert, newest, START + waitMs - 1).kind).toBe("wait");
    expect(decideReturn(alert, newest, START + waitMs).kind).toBe("release");
  },
);

it("an alert whose check goes on succeeding without recovering is notified after a day", () => {
  const alert = { frequencySeconds: 60, freeSinceMs: START, isAboutFailure: true };
  const at = (afterMs: number) =>
    decideReturn(
      alert,
      [{ locationKey: 1, slotMs: START + afterMs - 1_000, isFailing: false }],
      START + afterMs,
    );
  expect(at(86_400_000 - 1).kind).toBe("wait");
  expect(at(86_400_000).kind).toBe("release");
});
