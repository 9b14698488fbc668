/** Computes an SLO's status from counted results. Pure. */
import type { SloStatus } from "@svc/contract";
import { burnRateOf } from "./burn-rate.ts";
import type { ResultCounts } from "./result-counts.ts";
import type { SloRow } from "./row.ts";

/** Counts that a status is made of: of the whole window, and of the times whose burn rates are shown. */
export interface StatusCounts {
  window: ResultCounts;
  last1h: ResultCounts;
  last6h: ResultCounts;
  last24h: ResultCounts;
}

const MINUTES_PER_DAY = 1_440;

/**
 * Returns the status. Budgets are estimated minutes: the share of results times the window. More than the budget may be
 * consumed; the remainder stops at 0, the ratio at 1. While there is no result nothing is consumed.
 */
export function sloStatusOf(slo: SloRow, counts: StatusCounts): SloStatus {
  const { window } = counts;
  const { targetBasisPoints, windowDays } = slo;
  const windowMinutes = windowDays * MINUTES_PER_DAY;
  const errorBudgetTotal = (windowMinutes * (10_000 - targetBasisPoints)) / 10_000;
  const errorBudgetConsumed = windowMinutes * (1 - ratio(window.good, window.total));
  return {
    sloId: slo.id,
    checkId: slo.checkId,
    patternId: slo.patternId,
    name: slo.name,
    sloType: slo.sloType,
    sliType: slo.sliType,
    targetBasisPoints,
    windowDays,
    availability: ratio(window.success, window.total),
    totalCount: window.total,
    successCount: window.success,
    avgDurationMs:
      window.total === 0 || slo.checkKey === null ? null : window.responseTimeSumUs / 1000 / window.total,
    perfComplianceRatio: slo.sliType === "performance" ? ratio(window.good, window.total) : null,
    errorBudgetTotal,
    errorBudgetConsumed,
    errorBudgetRemaining: Math.max(0, errorBudgetTotal - errorBudgetConsumed),
    budgetConsumedRatio: Math.min(1, burnRateOf(window, targetBasisPoints)),
    burnRate1h: burnRateOf(counts.last1h, targetBasisPoints),
    burnRate6h: burnRateOf(counts.last6h, targetBasisPoints),
    burnRate24h: burnRateOf(counts.last24h, targetBasisPoints),
  };
}

function ratio(part: number, total: number): number {
  return total === 0 ? 1 : part / total;
}
