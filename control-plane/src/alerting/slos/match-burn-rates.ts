/** Decides whether an SLO's budget burns too fast. Pure. */

/** Threshold and windows of a burn-rate rule. */
export interface BurnRateLimits {
  burnRateThreshold: number;
  longWindowMinutes: number;
  shortWindowMinutes: number;
}

/** Returns the evidence when the burn rates over both windows are above the limits; undefined: they are not. */
export function matchBurnRates(
  { sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes }: BurnRateLimits & { sloId: string },
  { long, short }: { long: number; short: number },
) {
  if (long <= burnRateThreshold || short <= burnRateThreshold) return undefined;
  return {
    severity: "critical" as const,
    threshold: { sloId, burnRateThreshold, longWindowMinutes, shortWindowMinutes },
    observed: { long, short },
    summary: `error budget burns ${long.toFixed(1)} times too fast over ${longWindowMinutes} minutes`,
  };
}
