import type { Condition, SloId } from "@svc/contract";
import { type BurnRateLimits, matchBurnRates } from "../slos/match-burn-rates.ts";
import { defineCondition } from "./condition.ts";

/** Returns the condition that holds while an SLO's budget burns faster than these limits. */
export function burnRateCondition(sloId: SloId, limits: BurnRateLimits): Condition {
  const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = limits;
  return { type: "burn_rate", sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes };
}

/**
 * Holds while an SLO's budget is spent faster than `burnRateThreshold` over both windows. Does not hold while the rates are
 * not known.
 */
export const burnRate = defineCondition("burn_rate", {
  isAboutFailure: false,
  recoversOn: "any_result",
  timeDriven: "between_results",
  needs: ({ sloId, longWindowMinutes, shortWindowMinutes }) => ({
    burnRate: [longWindowMinutes, shortWindowMinutes].map((windowMinutes) => ({
      sloId: sloId as SloId,
      windowMinutes,
    })),
  }),
  sloIds: ({ sloId }) => [sloId as SloId],
  canBegin: () => false,
  match: (condition, { burnRate, newResult }) => {
    const { longWindowMinutes, shortWindowMinutes } = condition;
    const sloId = condition.sloId as SloId;
    const long = burnRate(sloId, longWindowMinutes);
    const short = burnRate(sloId, shortWindowMinutes);
    if (long === undefined || short === undefined) return undefined;
    const match = matchBurnRates(condition, { long, short });
    return match && { ...match, results: newResult ? [newResult] : [] };
  },
});
