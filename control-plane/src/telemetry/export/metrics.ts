/** What the export counts, for /metrics. */
import { Counter, type Registry } from "prom-client";

export interface ExportMetrics {
  records: Counter<"signal" | "outcome">;
  requests: Counter<"signal" | "outcome">;
}

/** The metrics of this registry; asked again, the same ones. */
export function exportMetrics(registry: Registry): ExportMetrics {
  const counter = (name: string, help: string) =>
    (registry.getSingleMetric(name) as Counter<"signal" | "outcome"> | undefined) ??
    new Counter({ name, help, labelNames: ["signal", "outcome"], registers: [registry] });
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
