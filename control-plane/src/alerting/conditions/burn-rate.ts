import type { Condition, SloId } from "@svc/contract";
import { defineCondition } from "./condition.ts";

/** Threshold and windows of a burn-rate condition. */
export interface BurnRateLimits {
  burnRateThreshold: number;
  longWindowMinutes: number;
  shortWindowMinutes: number;
}

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
    const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = condition;
    const sloId = condition.sloId as SloId;
    const long = burnRate(sloId, longWindowMinutes);
    const short = burnRate(sloId, shortWindowMinutes);
    if (long === undefined || short === undefined) return undefined;
    if (long <= burnRateThreshold || short <= burnRateThreshold) return undefined;
    return {
      severity: "critical",
      threshold: { sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes },
      observed: { long, short },
      results: newResult ? [newResult] : [],
      summary: `error budget burns ${long.toFixed(1)} times too fast over ${longWindowMinutes} minutes`,
    };
  },
});
