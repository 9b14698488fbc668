/** The metrics of ingest. */
import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import { metricsOf } from "../../platform/metrics/metrics-of.ts";

/** Counts of results, batches and transactions; durations in seconds. */
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
  const metrics = metricsOf(registry);
  return {
    results: metrics.counter("svc_ingest_results_total", "Results stored, by status.", {
      labelNames: ["status"],
    }),
    duplicates: metrics.counter("svc_ingest_duplicates_total", "Results that were stored already."),
    rejections: metrics.counter("svc_ingest_rejections_total", "Results or details that can't be stored."),
    batches: metrics.counter("svc_ingest_batches_total", "Batches received."),
    transactions: metrics.counter(
      "svc_ingest_transactions_total",
      "Transactions committed; one holds many batches.",
    ),
    retries: metrics.counter(
      "svc_ingest_retries_total",
      "Transactions tried again, the database being away.",
    ),
    commitSeconds: metrics.histogram(
      "svc_ingest_commit_seconds",
      "From the begin of a transaction to its commit.",
      { buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15] },
    ),
    latenessSeconds: metrics.histogram(
      "svc_slot_lateness_seconds",
      "Start of a run after its slot was due at the location, sampled.",
      { buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
    ),
    pendingResults: metrics.gauge("svc_ingest_pending_results", "Results received and not committed yet."),
  };
}
