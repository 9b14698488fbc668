/** What the evaluation counts, for /metrics. */
import { Counter, Histogram, type Registry } from "prom-client";

export interface AlertMetrics {
  transitions: Counter<"kind">;
  faults: Counter;
  evaluationSeconds: Histogram;
}

/** The metrics of this registry; asked again, the same ones. */
export function alertMetrics(registry: Registry): AlertMetrics {
  const known = <T>(name: string, make: () => T) =>
    (registry.getSingleMetric(name) as T | undefined) ?? make();
  return {
    transitions: known(
      "svc_alert_transitions_total",
      () =>
        new Counter({
          name: "svc_alert_transitions_total",
          help: "Decisions about alert rules, by kind.",
          labelNames: ["kind"],
          registers: [registry],
        }),
    ),
    faults: known(
      "svc_alert_faults_total",
      () =>
        new Counter({
          name: "svc_alert_faults_total",
          help: "Evaluations that failed; the results were stored without.",
          registers: [registry],
        }),
    ),
    evaluationSeconds: known(
      "svc_alert_evaluation_seconds",
      () =>
        new Histogram({
          name: "svc_alert_evaluation_seconds",
          help: "Judging the rules of the checks that a transaction touched, where a result may matter.",
          buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
          registers: [registry],
        }),
    ),
  };
}
