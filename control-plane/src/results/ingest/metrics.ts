/** The metrics of ingest. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface IngestMetrics {
  results: Counter<"status">;
  duplicates: Counter;
  rejections: Counter;
  batches: Counter;
  transactions: Counter;
  retries: Counter;
  commitSeconds: Histogram;
  latenessSeconds: Histogram;
  pendingResults: Gauge;
}

/** Returns the metrics in this registry; makes them at the first call. */
export function ingestMetrics(registry: Registry): IngestMetrics {
  const known = <T>(name: string, make: () => T) =>
    (registry.getSingleMetric(name) as T | undefined) ?? make();
  const counter = (name: string, help: string) =>
    known(name, () => new Counter({ name, help, registers: [registry] }));
  return {
    results: known(
      "svc_ingest_results_total",
      () =>
        new Counter({
          name: "svc_ingest_results_total",
          help: "Results stored, by status.",
          labelNames: ["status"],
          registers: [registry],
        }),
    ),
    duplicates: counter("svc_ingest_duplicates_total", "Results that were stored already."),
    rejections: counter("svc_ingest_rejections_total", "Results or details that can't be stored."),
    batches: counter("svc_ingest_batches_total", "Batches received."),
    transactions: counter("svc_ingest_transactions_total", "Transactions committed; one holds many batches."),
    retries: counter("svc_ingest_retries_total", "Transactions tried again, the database being away."),
    commitSeconds: known(
      "svc_ingest_commit_seconds",
      () =>
        new Histogram({
          name: "svc_ingest_commit_seconds",
          help: "From the begin of a transaction to its commit.",
          buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
          registers: [registry],
        }),
    ),
    latenessSeconds: known(
      "svc_slot_lateness_seconds",
      () =>
        new Histogram({
          name: "svc_slot_lateness_seconds",
          help: "Start of a run after its slot was due at the location, sampled.",
          buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
          registers: [registry],
        }),
    ),
    pendingResults: known(
      "svc_ingest_pending_results",
      () =>
        new Gauge({
          name: "svc_ingest_pending_results",
          help: "Results received and not committed yet.",
          registers: [registry],
        }),
    ),
  };
}
