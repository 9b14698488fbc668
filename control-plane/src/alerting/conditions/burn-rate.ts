import { defineCondition } from "./condition.ts";

/** An SLO's budget is spent faster than `burnRateThreshold` over both windows. Never holds while the rates aren't known. */
export const burnRate = defineCondition("burn_rate", {
  isAboutFailure: false,
  recoversOn: "any_result",
  beginsWithTime: "looked_at",
  needs: ({ sloId, longWindowMinutes, shortWindowMinutes }) => ({
    burnRates: [longWindowMinutes, shortWindowMinutes].map((windowMinutes) => ({ sloId, windowMinutes })),
  }),
  mayBegin: () => false,
  holds: ({ sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes }, facts) => {
    const long = facts.burnRateOf(sloId, longWindowMinutes);
    const short = facts.burnRateOf(sloId, shortWindowMinutes);
    if (long === undefined || short === undefined) return undefined;
    if (long <= burnRateThreshold || short <= burnRateThreshold) return undefined;
    return {
      severity: "critical",
      threshold: { sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes },
      observed: { long, short },
      results: facts.fresh ? [facts.fresh] : [],
      summary: `error budget burns ${long.toFixed(1)} times too fast over ${longWindowMinutes} minutes`,
    };
  },
});
