import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { burnRateOf, isBurning, PACES, type Pace } from "./burn-rate.ts";
import type { Counts } from "./result-counts.ts";
import { SloModel, type SloRow } from "./row.ts";
import { statusOf } from "./slo-status.ts";
import { piecesOf, without } from "./span-pieces.ts";

describe("burn rate", () => {
  test.each([
    ["no result", 0, 0, 9_900, 0],
    ["all good", 100, 100, 9_900, 0],
    ["exactly what is allowed", 100, 99, 9_900, 1],
    ["twice that", 100, 98, 9_900, 2],
    ["all bad, strictest target", 1, 0, 9_999, 10_000],
    ["all bad, loosest target", 1, 0, 1, 10_000 / 9_999],
  ])("%s: %i results, %i good, target %i", (_title, total, good, target, expected) => {
    expect(burnRateOf({ total, good }, target)).toBeCloseTo(expected, 10);
  });

  const fast = PACES[0] as Pace;
  test.each([
    ["both above begin it", false, 14.5, 14.5, true],
    ["exactly the threshold does not", false, 14.4, 14.5, false],
    ["the long one alone does not", false, 20, 14.4, false],
    ["the short one alone does not", false, 14.4, 99, false],
    ["it goes on while the long one is above", true, 14.5, 0, true],
    ["it ends when the long one is back", true, 14.4, 99, false],
  ])("%s", (_title, was, long, short, expected) => {
    expect(isBurning(fast, was, { long, short })).toBe(expected);
  });
});

describe("status", () => {
  const slo = Object.assign(new SloModel(), {
    ...{ id: "slo_x", checkId: "chk_x", checkName: "x", name: "x", sloType: "check", sliType: "performance" },
    ...{ targetBasisPoints: 9_900, windowDays: 7, patternId: null, perfThresholdMs: 100 },
  }) as SloRow;
  const of = (total: number, success: number, good: number): Counts => ({
    ...{ total, success, good, responseTimeSumUs: total * 2_500 },
  });
  const status = (window: Counts) =>
    statusOf(slo, { window, last1h: window, last6h: window, last24h: window });

  it("counts the budget in minutes of the window, by what is good", () => {
    const state = status(of(1_000, 999, 995));
    expect(state).toMatchObject({ availability: 0.999, perfComplianceRatio: 0.995, avgDurationMs: 2.5 });
    expect(state.errorBudgetTotal).toBeCloseTo(100.8, 9);
    expect(state.errorBudgetConsumed).toBeCloseTo(50.4, 9);
    expect(state.errorBudgetRemaining).toBeCloseTo(50.4, 9);
    expect([state.budgetConsumedRatio, state.burnRate24h].map((x) => x.toFixed(9))).toEqual([
      "0.500000000",
      "0.500000000",
    ]);
  });

  it("spends more than there is without leaving less than nothing", () => {
    const state = status(of(10, 5, 5));
    expect(state).toMatchObject({ errorBudgetRemaining: 0, budgetConsumedRatio: 1, burnRate1h: 50 });
    expect(state.errorBudgetConsumed).toBe(5_040);
  });

  it("spends nothing while there is no result", () => {
    expect(status(of(0, 0, 0))).toMatchObject({
      ...{ availability: 1, perfComplianceRatio: 1, avgDurationMs: null, totalCount: 0 },
      ...{ errorBudgetConsumed: 0, budgetConsumedRatio: 0, burnRate1h: 0 },
    });
  });
});

describe("pieces of time", () => {
  const minutes = (n: number) => n * 60_000;
  const shown = (pieces: ReturnType<typeof piecesOf>) =>
    pieces.map(({ bucketSeconds, fromMs, toMs }) => [bucketSeconds, fromMs / 60_000, toMs / 60_000]);

  test.each([
    ["nothing computed", 1, 200, 0, 0, [[null, 1, 200]]],
    [
      "edges, buckets, hours and the open end",
      1,
      193,
      0,
      185,
      [
        [null, 1, 5],
        [300, 5, 60],
        [3600, 60, 180],
        [300, 180, 185],
        [null, 185, 193],
      ],
    ],
    ["whole hours", 60, 180, 0, 600, [[3600, 60, 180]]],
    ["within a bucket", 61, 64, 0, 600, [[null, 61, 64]]],
    ["across a bucket's edge", 63, 67, 0, 600, [[null, 63, 67]]],
    [
      "what was not counted yet comes from results",
      10,
      120,
      60,
      600,
      [
        [null, 10, 60],
        [3600, 60, 120],
      ],
    ],
    ["nothing at all", 5, 5, 0, 600, []],
  ])("%s", (_title, from, to, rolledFrom, rolledTo, expected) => {
    const span = { fromMs: minutes(from), toMs: minutes(to) };
    const rolledUp = { fromMs: minutes(rolledFrom), toMs: minutes(rolledTo) };
    expect(shown(piecesOf(span, rolledUp))).toEqual(expected);
  });

  it("cover exactly what is not held, each instant once", () => {
    const minute = fc.integer({ min: 0, max: 400 });
    const span = fc.tuple(minute, minute).map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) }));
    fc.assert(
      fc.property(span, fc.array(span, { maxLength: 5 }), span, (asked, held, rolled) => {
        const inMs = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
          ...{ fromMs: minutes(fromMs), toMs: minutes(toMs) },
        });
        const rolledUp = {
          fromMs: minutes(rolled.fromMs - (rolled.fromMs % 5)),
          toMs: minutes(rolled.toMs - (rolled.toMs % 5)),
        };
        const pieces = without(inMs(asked), held.map(inMs)).flatMap((rest) => piecesOf(rest, rolledUp));
        for (let m = 0; m <= 400; m++) {
          const at = minutes(m);
          const covers = pieces.filter(({ fromMs, toMs }) => fromMs <= at && at < toMs);
          const isHeld = held.some(({ fromMs, toMs }) => fromMs <= m && m < toMs);
          expect(covers.length).toBe(asked.fromMs <= m && m < asked.toMs && !isHeld ? 1 : 0);
          for (const { bucketSeconds, fromMs, toMs } of covers) {
            if (bucketSeconds === null) continue;
            expect([fromMs % (bucketSeconds * 1_000), toMs % (bucketSeconds * 1_000)]).toEqual([0, 0]);
            expect(fromMs >= rolledUp.fromMs && toMs <= rolledUp.toMs).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
