/**
 * Starts OpenTelemetry's SDK for one program: the providers of its traces, metrics and logs, with exporters that send over
 * OTLP. Only what is on is made. The SDK's own modules are loaded by this file alone, which is imported only where a signal is on.
 */
import { randomUUID } from "node:crypto";
import { DiagLogLevel, diag } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPLogExporter } from "@opentelemetry/exporter-logs-otlp-proto";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchLogRecordProcessor, LoggerProvider } from "@opentelemetry/sdk-logs";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { emitLine } from "./log-records.ts";
import type { Otel, OtelProgram } from "./program.ts";
import { prometheusMetrics } from "./prometheus-metrics.ts";
import type { OtelSettings } from "./settings.ts";

/** Longest that the last records may take to be sent when the program ends. */
const CLOSE_LIMIT_MS = 3_000;
/** Shortest time between two lines about exports that fail. */
const REPORT_INTERVAL_MS = 60_000;

interface Provider {
  shutdown(): Promise<void>;
}

/** Starts the signals that are on. Tracing is made known globally, as OpenTelemetry's API expects. */
export function startSdk(settings: OtelSettings, program: OtelProgram): Otel {
  const { name, version, registry } = program;
  const resource = resourceOf(program);
  const providers: Provider[] = [];
  reportTroubles(program.onTrouble);
  if (settings.traces) {
    const provider = new NodeTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    provider.register(
      settings.continuesTraces ? { propagator: new W3CTraceContextPropagator() } : { propagator: null },
    );
    providers.push(provider);
  }
  if (settings.metrics) {
    const startedAtMs = Date.now() - process.uptime() * 1000;
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter(),
      exportIntervalMillis: settings.metricIntervalMs,
      exportTimeoutMillis: settings.metricTimeoutMs,
      metricProducers: [prometheusMetrics(registry, startedAtMs, { name, version })],
    });
    providers.push(new MeterProvider({ resource, readers: [reader] }));
  }
  let writeLine: Otel["writeLine"];
  if (settings.logs) {
    const processor = new BatchLogRecordProcessor({ exporter: new OTLPLogExporter(), ...settings.logBatch });
    const provider = new LoggerProvider({ resource, processors: [processor] });
    const logger = provider.getLogger(name, version);
    writeLine = (line) => emitLine(logger, line);
    providers.push(provider);
  }
  return {
    writeLine,
    close: async () => {
      const ended = Promise.allSettled(providers.map((provider) => provider.shutdown()));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS).unref())]);
      diag.disable();
    },
  };
}

/** The service as OpenTelemetry's conventions describe it; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` come first. */
function resourceOf({ name, version }: OtelProgram): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        "service.name": name,
        "service.namespace": "svc",
        "service.version": version,
        "service.instance.id": randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Passes on what the SDK has to complain about, mostly a collector that does not answer; not more than a line a minute. */
function reportTroubles(onTrouble: OtelProgram["onTrouble"]): void {
  let nextAtMs = 0;
  const report = (message: string, ...details: unknown[]) => {
    if (Date.now() < nextAtMs) return;
    nextAtMs = Date.now() + REPORT_INTERVAL_MS;
    const text = [message, ...details.map(String)].join(" ").slice(0, 500);
    // The SDK complains while it is being made, when the program's log does not exist yet.
    setImmediate(() => onTrouble(text));
  };
  const nothing = () => {};
  diag.setLogger(
    { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
