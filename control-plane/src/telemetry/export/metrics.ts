/** Metrics of the export, for /metrics. */
import type { Counter, Registry } from "prom-client";
import { metricsOf } from "../../platform/metrics/metrics-of.ts";

/** Counts of exported records and of requests, by signal and outcome. */
export interface ExportMetrics {
  records: Counter<"signal" | "outcome">;
  requests: Counter<"signal" | "outcome">;
}

/** Returns the metrics of the export in the registry; registers them at the first call. */
export function exportMetrics(registry: Registry): ExportMetrics {
  const counter = (name: string, help: string) =>
    metricsOf(registry).counter<"signal" | "outcome">(name, help, { labelNames: ["signal", "outcome"] });
  return {
    records: counter(
      "svc_telemetry_records_total",
      "Records for teams' OpenTelemetry endpoints: exported, rejected by them, or dropped as refused.",
    ),
    requests: counter(
      "svc_telemetry_requests_total",
      "Requests to teams' OpenTelemetry endpoints: delivered, refused as malformed, or held to be tried again.",
    ),
  };
}
