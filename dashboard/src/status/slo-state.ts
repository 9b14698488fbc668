/** Says in a word how an SLO stands. Pure. */
import type { SloStatus } from "@svc/contract";
import { type StateWord, sloStates } from "./words.ts";

/** Share of the error budget below which an SLO is at risk. */
const BUDGET_MIN = 0.25;
/** Pace of the last hour above which the budget ends before its window does. */
const PACE_MAX = 1;

/** Returns the share of the error budget that is left, from 0 to 1. */
export function budgetLeft({ budgetConsumedRatio }: Pick<SloStatus, "budgetConsumedRatio">): number {
  return Math.max(0, 1 - budgetConsumedRatio);
}

/** Returns the share of good results, which the target is held against, from 0 to 1. */
export function goodShare({
  availability,
  perfComplianceRatio,
}: Pick<SloStatus, "availability" | "perfComplianceRatio">): number {
  return perfComplianceRatio ?? availability;
}

/** Returns how an SLO stands. An SLO is at risk by the rules of the overview. */
export function sloStateOf(
  isEnabled: boolean,
  status: Pick<SloStatus, "totalCount" | "budgetConsumedRatio" | "burnRate1h"> | undefined,
): StateWord {
  if (!isEnabled) return sloStates.disabled;
  if (!status || status.totalCount === 0) return sloStates.noData;
  const left = budgetLeft(status);
  if (left === 0) return sloStates.exhausted;
  return left < BUDGET_MIN || status.burnRate1h > PACE_MAX ? sloStates.atRisk : sloStates.kept;
}
