/** Metrics of the evaluation, for /metrics. */
import type { Counter, Histogram, Registry } from "prom-client";
import { metricsOf } from "../platform/metrics/metrics-of.ts";

/** Transitions by kind, evaluations that failed, and the duration of evaluations in seconds. */
export interface AlertMetrics {
  transitions: Counter<"kind">;
  faults: Counter;
  evaluationSeconds: Histogram;
}

/** Returns the metrics on this registry; they are made by the first call. */
export function alertMetrics(registry: Registry): AlertMetrics {
  const metrics = metricsOf(registry);
  return {
    transitions: metrics.counter("svc_alert_transitions_total", "Decisions about alert rules, by kind.", {
      labelNames: ["kind"],
    }),
    faults: metrics.counter(
      "svc_alert_faults_total",
      "Evaluations that failed; the results were stored without.",
    ),
    evaluationSeconds: metrics.histogram(
      "svc_alert_evaluation_seconds",
      "Judging the rules of the checks that a transaction touched, where a result may matter.",
      { buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5] },
    ),
  };
}
