import { expect, it } from "vitest";
import { OTEL_SIGNALS, parseOtelSettings } from "./settings.ts";

function parsed(
  environment: Record<string, string>,
  offered = OTEL_SIGNALS as readonly ("traces" | "metrics" | "logs")[],
) {
  const problems: string[] = [];
  return { settings: parseOtelSettings(environment, offered, problems), problems };
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

it.each([
  ["nothing is set", {}, []],
  ["an endpoint for all", ENDPOINT, ["traces", "metrics", "logs"]],
  ["an endpoint of one", { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://c:4318/v1/logs" }, ["logs"]],
  ["an exporter alone: the standard's endpoint", { OTEL_TRACES_EXPORTER: "otlp" }, ["traces"]],
  ["one is left out", { ...ENDPOINT, OTEL_METRICS_EXPORTER: "none" }, ["traces", "logs"]],
  ["all is off", { ...ENDPOINT, OTEL_SDK_DISABLED: "true" }, []],
  ["off says nothing of bad values", { OTEL_SDK_DISABLED: "true", OTEL_TRACES_EXPORTER: "zipkin" }, []],
  ["empty counts as unset", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }, []],
  ["a name alone", { OTEL_SERVICE_NAME: "svc" }, []],
])("%s", (_, environment, on) => {
  const { settings, problems } = parsed(environment as Record<string, string>);
  expect(OTEL_SIGNALS.filter((signal) => settings[signal])).toEqual(on);
  expect(problems).toEqual([]);
});

it.each([
  [{ OTEL_METRICS_EXPORTER: "prometheus" }, "OTEL_METRICS_EXPORTER: expected otlp or none"],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf"],
  [
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json" },
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: expected http/protobuf",
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    "OTEL_EXPORTER_OTLP_ENDPOINT: expected an http:// or https:// URL",
  ],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, "OTEL_EXPORTER_OTLP_HEADERS: expected name=value,name=value"],
  [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "OTEL_TRACES_SAMPLER: expected always_on or"],
  [{ OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1"],
  [{ OTEL_PROPAGATORS: "b3" }, "OTEL_PROPAGATORS: expected tracecontext,baggage or tracecontext or none"],
  [{ OTEL_METRIC_EXPORT_INTERVAL: "0" }, "OTEL_METRIC_EXPORT_INTERVAL: expected a whole number from 1 on"],
  [
    { OTEL_BSP_MAX_QUEUE_SIZE: "100" },
    "OTEL_BSP_MAX_QUEUE_SIZE: smaller than OTEL_BSP_MAX_EXPORT_BATCH_SIZE, which is 512",
  ],
  [{ OTEL_SDK_DISABLED: "yes" }, "OTEL_SDK_DISABLED: expected true or false"],
])("%j is refused", (environment, line) => {
  const { problems } = parsed(environment as Record<string, string>);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(line);
});

it("asking a program by name for a signal that it has not is refused; asking for all is not", () => {
  const agents = ["metrics", "logs"] as const;
  expect(parsed({ OTEL_TRACES_EXPORTER: "otlp" }, agents).problems).toEqual([
    "OTEL_TRACES_EXPORTER: this program has no traces of its own to send",
  ]);
  const { settings, problems } = parsed(ENDPOINT, agents);
  expect(problems).toEqual([]);
  expect(settings).toMatchObject({ traces: false, metrics: true, logs: true });
  expect(parsed({ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }, agents).problems).toEqual([]);
});

it("tells where signals that are on are sent to", () => {
  expect(parsed(ENDPOINT).settings.endpoints).toEqual([
    { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", url: "http://127.0.0.1:4318" },
  ]);
  const off = { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" };
  expect(parsed({ ...ENDPOINT, ...off }).settings.endpoints).toEqual([]);
});

it("variables without an effect are named", () => {
  expect(parsed({ ...ENDPOINT, OTEL_LOG_LEVEL: "debug" }).settings.ignored).toEqual(["OTEL_LOG_LEVEL"]);
});

it("an export may not take longer than the time to the next", () => {
  const { settings } = parsed({ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: "1000" });
  expect(settings).toMatchObject({ metricIntervalMs: 1000, metricTimeoutMs: 1000 });
});
