import type { BaselineMetric } from "@svc/contract";
import { metricOf } from "../baselines/metric-values.ts";
import { defineCondition, placeNames } from "./condition.ts";
import { type Baseline, type Facts, isSuccess, type ResultFact } from "./condition-input.ts";

/**
 * The last `consecutiveCount` runs of a location are successes that each deviate by more than `sigmaThreshold` standard
 * deviations from the baseline of their own hour of the week there, all in the chosen direction. A run without a baseline
 * (too few samples) or without the metric deviates from nothing.
 */
export const baselineAnomaly = defineCondition("baseline_anomaly", {
  isAboutFailure: false,
  recoversOn: "success",
  needs: ({ consecutiveCount, metric }) => ({ results: consecutiveCount, baseline: metric }),
  mayBegin: (_condition, fresh) => isSuccess(fresh),
  holds: ({ metric, sigmaThreshold, consecutiveCount, direction, severity }, facts) => {
    const deviating = facts.locations.flatMap((location) => {
      const runs = location.results.slice(0, consecutiveCount);
      const scores = runs.flatMap((run) => scoreOf(run, metric, facts) ?? []);
      const isComplete = runs.length === consecutiveCount && scores.length === consecutiveCount;
      const isAbove = scores.every(({ sigma }) => sigma > sigmaThreshold);
      const isBelow = scores.every(({ sigma }) => sigma < -sigmaThreshold);
      const isOff = direction === "both" ? isAbove || isBelow : direction === "above" ? isAbove : isBelow;
      return isComplete && isOff ? [{ ...location, runs, scores }] : [];
    });
    const [first] = deviating;
    const newest = first?.scores[0];
    if (!newest) return undefined;
    return {
      severity,
      threshold: { metric, sigmaThreshold, consecutiveCount, direction },
      observed: {
        value: newest.value,
        sigma: Math.round(newest.sigma * 100) / 100,
        mean: newest.baseline.mean,
        deviation: newest.baseline.deviation,
        sampleCount: newest.baseline.sampleCount,
      },
      results: deviating.flatMap(({ runs }) => runs),
      summary: `${metric} is ${Math.abs(newest.sigma).toFixed(1)} standard deviations ${newest.sigma > 0 ? "above" : "below"} usual from ${placeNames(deviating)}`,
    };
  },
});

function scoreOf(
  run: ResultFact,
  metric: BaselineMetric,
  facts: Facts,
): { value: number; sigma: number; baseline: Baseline } | undefined {
  const value = isSuccess(run) ? metricOf(run, metric) : undefined;
  const baseline = facts.baselineOf(metric, run.locationKey, run.slotMs);
  if (value === undefined || !baseline) return undefined;
  return { value, sigma: (value - baseline.mean) / baseline.deviation, baseline };
}
