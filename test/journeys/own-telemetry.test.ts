/** The service's own logs, metrics and traces, as a collector gets them by the standard OTEL_* variables. */
import { beforeEach, expect, test } from "vitest";
import {
  attributesOf,
  type OtlpReceiver,
  startOtlpHttp,
} from "../../control-plane/test-support/otlp/receiver.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();
let collector: OtlpReceiver;
beforeEach(async () => {
  collector = await startOtlpHttp();
  stack.atEnd(() => collector.close());
});

// biome-ignore lint/suspicious/noExplicitAny: the test reads what came
type Decoded = any;

interface Span {
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  attributes: Record<string, unknown>;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  links: { traceId: string; spanId: string }[];
  /** `service.name` of the sender. */
  service: unknown;
}

function spans(): Span[] {
  return received("traces").flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ resource, scopeSpans }: Decoded) =>
      scopeSpans.flatMap((scope: Decoded) =>
        scope.spans.map((span: Decoded) => ({
          ...span,
          attributes: attributesOf(span.attributes),
          service: attributesOf(resource.attributes)["service.name"],
        })),
      ),
    ),
  );
}

/** Returns the descriptions of all received metrics of a service by their names, the newest. */
function metricsOf(service: string): Map<string, Decoded> {
  const metrics = new Map<string, Decoded>();
  for (const { resourceMetrics } of received("metrics"))
    for (const { resource, scopeMetrics } of resourceMetrics) {
      if (attributesOf(resource.attributes)["service.name"] !== service) continue;
      for (const scope of scopeMetrics) for (const metric of scope.metrics) metrics.set(metric.name, metric);
    }
  return metrics;
}

function received(signal: string): Decoded[] {
  return collector.requests.filter((request) => request.signal === signal).map(({ body }) => body);
}

const FAST = {
  OTEL_BSP_SCHEDULE_DELAY: "100",
  OTEL_BLRP_SCHEDULE_DELAY: "100",
  OTEL_METRIC_EXPORT_INTERVAL: "500",
};
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

test("a request, its statements, the dispatch and the runs that it causes are one trace, that of the caller", async () => {
  const controlPlane = await stack.controlPlane({
    environment: {
      ...FAST,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=secret-of-the-collector",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      SVC_EMBEDDED_RUNNER: "true",
    },
  });
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    name: "Traced",
    type: "http",
    frequencySeconds: 3_600,
    locations: ["loc_eu_west", "loc_us_east"],
    enabled: false,
    httpConfig: { url: stack.target.url, method: "GET" },
  });
  const response = await controlPlane.fetch(`/api/checks/${check.id}/trigger`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${controlPlane.apiKey}`,
      traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
    },
  });
  expect(response.status).toBe(200);
  const ofTrace = () => spans().filter(({ traceId }) => traceId === CALLER.traceId);
  await until(
    "both runs have their spans",
    () => ofTrace().filter(({ name }) => name === "run").length === 2,
  );

  const [request, ...others] = ofTrace().filter(({ kind }) => kind === "SPAN_KIND_SERVER");
  expect(others).toEqual([]);
  expect(request).toMatchObject({
    name: "POST /api/checks/:id/trigger",
    parentSpanId: CALLER.spanId,
    service: "svc-control-plane",
    attributes: {
      "http.route": "/api/checks/:id/trigger",
      "url.path": `/api/checks/${check.id}/trigger`,
      "http.response.status_code": 200,
    },
  });
  const statements = ofTrace().filter(({ kind }) => kind === "SPAN_KIND_CLIENT");
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["SELECT checks", "INSERT manual_runs"]),
  );
  expect(new Set(statements.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request?.spanId]));
  expect(JSON.stringify(statements)).not.toContain(check.id);

  const dispatches = ofTrace().filter(({ name }) => name === "dispatch run");
  expect(dispatches.map(({ parentSpanId }) => parentSpanId)).toEqual([request?.spanId, request?.spanId]);
  expect(dispatches.map(({ attributes }) => attributes["synthetics.location.id"]).sort()).toEqual([
    "loc_eu_west",
    "loc_us_east",
  ]);
  const runs = ofTrace().filter(({ name }) => name === "run");
  expect(runs.map(({ parentSpanId }) => parentSpanId).sort()).toEqual(
    dispatches.map(({ spanId }) => spanId).sort(),
  );
  const { results } = await controlPlane.ok<{ results: { traceId: string }[] }>(
    "GET",
    `/api/checks/${check.id}/results`,
  );
  // The target sees a trace of its own: the run's span leads there.
  expect(runs.map(({ links }) => links[0]?.traceId).sort()).toEqual(
    results.map(({ traceId }) => traceId).sort(),
  );
  expect(runs.every(({ attributes }) => attributes["synthetics.check.status"] === "success")).toBe(true);
  expect(runs.every((run) => BigInt(run.endTimeUnixNano) > BigInt(run.startTimeUnixNano))).toBe(true);

  expect(new Set(collector.requests.map(({ headers }) => headers["api-key"]))).toEqual(
    new Set(["secret-of-the-collector"]),
  );
  // A request with a body keeps its span, too.
  const creation = spans().find(({ name }) => name === "POST /api/checks");
  expect(spans().find(({ name }) => name === "INSERT checks")?.parentSpanId).toBe(creation?.spanId);
  // Nothing else is a trace: the runs of schedules and work in the background are not.
  const roots = spans().filter(({ parentSpanId }) => parentSpanId === "");
  expect(roots.filter(({ kind }) => kind !== "SPAN_KIND_SERVER")).toEqual([]);
});

test("metrics have the names and values of /metrics, of the agent too; logs say in which trace they were written", async () => {
  const controlPlane = await stack.controlPlane({
    environment: {
      ...FAST,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: "svc-of-the-test",
      SVC_EMBEDDED_RUNNER: "true",
      LOG_LEVEL: "debug",
    },
  });
  await controlPlane.ok("GET", "/api/checks");
  const named = (service: string, metric: string) => metricsOf(service).get(metric);
  await until("the agent's metrics come", () => named("svc-runner", "svc_runner_connected") !== undefined);
  const histogram = "svc_http_request_duration_seconds";
  await until("the request is counted", () => {
    const points: Decoded[] = named("svc-of-the-test", histogram)?.histogram.dataPoints ?? [];
    return points.some(({ attributes }) => attributesOf(attributes).route === "/api/checks");
  });
  expect(named("svc-of-the-test", histogram)).toMatchObject({
    unit: "s",
    histogram: { aggregationTemporality: "AGGREGATION_TEMPORALITY_CUMULATIVE" },
  });
  const shown = await (await controlPlane.fetch("/metrics")).text();
  const names = [...shown.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)/gm)].map(([, name]) => name);
  expect([...metricsOf("svc-of-the-test").keys()]).toEqual(expect.arrayContaining(names));

  await until("the request's line comes", () => collector.logs.some(({ body }) => body === "request"));
  const line = collector.logs.find(
    ({ body, attributes }) => body === "request" && attributes.route === "/api/checks",
  );
  expect(line).toMatchObject({
    severity: "DEBUG",
    resource: { "service.name": "svc-of-the-test", "service.namespace": "svc" },
    attributes: { method: "GET", status: 200 },
  });
  const request = spans().find(({ name }) => name === "GET /api/checks");
  expect(line).toMatchObject({ traceId: request?.traceId, spanId: request?.spanId });
  await until("the agent's log comes", () =>
    collector.logs.some(({ resource }) => resource["service.name"] === "svc-runner"),
  );
});

test("a collector that is away costs nothing but a line in the log", async () => {
  await collector.close();
  const controlPlane = await stack.controlPlane({
    environment: {
      ...FAST,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
      // Of which the SDK complains while it is being made.
      OTEL_TRACES_SAMPLER: "traceidratio",
    },
  });
  await controlPlane.ok("GET", "/api/checks");
  await until("it is reported", () => /OpenTelemetry: .*ECONNREFUSED/.test(controlPlane.process.output()));
  await controlPlane.ok("GET", "/api/checks");
  expect(await controlPlane.process.stop()).toBe(0);
});
