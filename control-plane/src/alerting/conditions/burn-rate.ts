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
  explain: (condition, { burnRate }) => {
    const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = condition;
    const sloId = condition.sloId as SloId;
    const [long, short] = [longWindowMinutes, shortWindowMinutes].map((minutes) => burnRate(sloId, minutes));
    const isKnown = long !== undefined && short !== undefined;
    return {
      threshold: burnRateThreshold,
      observed: isKnown ? { long, short } : null,
      missing: isKnown
        ? `a burn rate of more than ${burnRateThreshold} over both windows; over the last ${longWindowMinutes} min it is ${rateText(long)}, over the last ${shortWindowMinutes} min ${rateText(short)}`
        : "the burn rates of the SLO, which are not known: it is switched off, or has no results yet",
    };
  },
  notReplayable: "the page of its SLO shows how the error budget was spent",
});

function rateText(rate: number): string {
  return String(Math.round(rate * 100) / 100);
}
