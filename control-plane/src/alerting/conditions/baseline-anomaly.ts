import { type BaselineMetric, counted } from "@svc/contract";
import type { Baseline } from "../baselines/fold.ts";
import { isVital, metricValueOf } from "../baselines/metric-values.ts";
import type { BaselineLookup } from "../inputs/baseline.ts";
import { isSuccess, type StoredResult } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/**
 * Holds while the last `consecutiveCount` runs of a location are successes that each deviate by more than `sigmaThreshold`
 * standard deviations from the baseline of their own hour of the week there, in the chosen direction; `both` takes any mix
 * of them. A run whose hour
 * has no baseline (too few samples), or that did not measure the metric, deviates from nothing.
 */
export const baselineAnomaly = defineCondition("baseline_anomaly", {
  isAboutFailure: false,
  mayComeFromDependency: true,
  recoversOn: "success",
  needs: ({ consecutiveCount, metric }) => ({
    results: consecutiveCount,
    webVitals: isVital(metric),
    baseline: [metric],
  }),
  canBegin: (_condition, newResult) => isSuccess(newResult),
  match: ({ metric, sigmaThreshold, consecutiveCount, direction, severity }, { locations, baseline }) => {
    const deviating = locations.flatMap((location) => {
      const runs = location.results.slice(0, consecutiveCount);
      const deviations = runs.flatMap((run) => deviationOf(run, metric, baseline) ?? []);
      const isComplete = runs.length === consecutiveCount && deviations.length === consecutiveCount;
      const isAbove = deviations.every(({ sigma }) => sigma > sigmaThreshold);
      const isBelow = deviations.every(({ sigma }) => sigma < -sigmaThreshold);
      const isFar = deviations.every(({ sigma }) => Math.abs(sigma) > sigmaThreshold);
      const isOff = { above: isAbove, below: isBelow, both: isFar }[direction];
      return isComplete && isOff ? [{ ...location, runs, deviations }] : [];
    });
    const newest = deviating[0]?.deviations[0];
    if (!newest) return undefined;
    const side = newest.sigma > 0 ? "above" : "below";
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
      summary: `${metric} is ${Math.abs(newest.sigma).toFixed(1)} standard deviations ${side} usual from ${locationNames(deviating)}`,
    };
  },
  explain: ({ metric, sigmaThreshold, consecutiveCount, direction }, { locations, baseline }) => {
    const newest = locations.flatMap(
      ({ results: [run] }) => (run && deviationOf(run, metric, baseline)) ?? [],
    );
    const [furthest] = newest.sort((a, b) => Math.abs(b.sigma) - Math.abs(a.sigma));
    return {
      threshold: { metric, sigmaThreshold, consecutiveCount, direction },
      observed: furthest
        ? {
            value: furthest.value,
            sigma: Math.round(furthest.sigma * 100) / 100,
            mean: furthest.baseline.mean,
            deviation: furthest.baseline.deviation,
            sampleCount: furthest.baseline.sampleCount,
          }
        : null,
      missing: furthest
        ? `${counted(consecutiveCount, "success", "successes")} in a row from one location further than ${sigmaThreshold} standard deviations from usual; the newest run is ${Math.abs(furthest.sigma).toFixed(1)} away`
        : `a baseline of ${metric} for this hour of the week, or a newest run that measured it`,
    };
  },
  notReplayable: "baselines of the past are not kept",
});

function deviationOf(
  run: StoredResult,
  metric: BaselineMetric,
  baselineOf: BaselineLookup,
): { value: number; sigma: number; baseline: Baseline } | undefined {
  const value = isSuccess(run) ? metricValueOf(run, metric) : undefined;
  const baseline = baselineOf(metric, run.locationKey, run.slotMs);
  if (value === undefined || !baseline) return undefined;
  return { value, sigma: (value - baseline.mean) / baseline.deviation, baseline };
}
