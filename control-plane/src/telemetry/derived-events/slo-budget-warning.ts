import type { CheckId, SloId, ThirdPartyPatternId } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

type Values = {
  id: SloId;
  name: string;
  checkId: CheckId | null;
  patternId: ThirdPartyPatternId | null;
  sliType: string;
  targetBasisPoints: number;
  windowDays: number;
  burnRateThreshold: number;
  longBurnRate: number;
  longWindowMinutes: number;
  shortBurnRate: number;
  shortWindowMinutes: number;
  budgetConsumedRatio: number | null;
  budgetRemainingMinutes: number | null;
};

/** Records that an SLO's error budget is spent too fast: both windows of a burn-rate rule are above its threshold. */
export const sloBudgetWarning = defineDerivedEvent<Values>({
  type: "synthetics.slo.budget.warning",
  attributes: {
    id: ATTR.sloId,
    name: ATTR.sloName,
    checkId: ATTR.sloCheckId,
    patternId: ATTR.sloPatternId,
    sliType: ATTR.sloSliType,
    targetBasisPoints: ATTR.sloTargetBasisPoints,
    windowDays: ATTR.sloWindowDays,
    burnRateThreshold: ATTR.sloBurnRateThreshold,
    longBurnRate: ATTR.sloLongBurnRate,
    longWindowMinutes: ATTR.sloLongWindowMinutes,
    shortBurnRate: ATTR.sloShortBurnRate,
    shortWindowMinutes: ATTR.sloShortWindowMinutes,
    budgetConsumedRatio: ATTR.sloBudgetConsumedRatio,
    budgetRemainingMinutes: ATTR.sloBudgetRemainingMinutes,
  },
  summary: ({ name, longBurnRate, longWindowMinutes, burnRateThreshold }) => {
    const rate = Math.round(Number(longBurnRate) * 10) / 10;
    return `${name}: burn rate ${rate} over ${Number(longWindowMinutes) / 60} h, above ${burnRateThreshold}`;
  },
});
