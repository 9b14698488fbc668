import { describe, expect, it } from "vitest";
import type { ResultCounts } from "./result-counts.ts";
import { SloModel, type SloRow } from "./row.ts";
import { sloStatusOf } from "./slo-status.ts";

describe("status", () => {
  const slo = Object.assign(new SloModel(), {
    id: "slo_x",
    checkId: "chk_x",
    checkName: "x",
    name: "x",
    sloType: "check",
    sliType: "performance",
    targetBasisPoints: 9_900,
    windowDays: 7,
    patternId: null,
    perfThresholdMs: 100,
  }) as SloRow;
  const of = (total: number, success: number, good: number): ResultCounts => ({
    total,
    success,
    good,
    responseTimeSumUs: total * 2_500,
  });
  const status = (window: ResultCounts) =>
    sloStatusOf(slo, { window, last1h: window, last6h: window, last24h: window });

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
      availability: 1,
      perfComplianceRatio: 1,
      avgDurationMs: null,
      totalCount: 0,
      errorBudgetConsumed: 0,
      budgetConsumedRatio: 0,
      burnRate1h: 0,
    });
  });
});
