/** The traces and metrics that an endpoint receives. */
import { rootSpanIdOf } from "@svc/contract";
import { expect, it } from "vitest";
import { setUpExportTest } from "../../../test-support/export-test.ts";
import { attributesOf } from "../../../test-support/otlp/receiver.ts";
import { tlsFacts } from "../../../test-support/telemetry.ts";

const test = setUpExportTest();

it("traces: a root span that the target knows, with a child per phase or step", async () => {
  const check = await test.stage.aCheck();
  await test.stage.set({ endpoint: test.receiver.url, traces: true });
  const traceId = "fedcba98765432100123456789abcdef";
  const startedAt = new Date(Date.now() - 5_000).toISOString();
  const steps = [
    { name: "open", status: "success", durationMs: 100, startedAt },
    { name: "pay", status: "failure", durationMs: 50, startedAt, errorMessage: "no button" },
  ];
  await test.stage.store([
    { check, traceId },
    { check, status: 2, detail: { steps } },
  ]);
  await test.exportUntil(
    () => test.receiver.requests.some(({ signal }) => signal === "traces") && test.receiver.logs.length >= 5,
  );
  const spans = test.receiver.requests
    .filter(({ signal }) => signal === "traces")
    .flatMap(({ body }) => body.resourceSpans)
    .flatMap((of) => of.scopeSpans)
    .flatMap((scope) => scope.spans);
  const root = spans.find((span) => span.traceId === traceId && !span.parentSpanId);
  expect(root).toMatchObject({ name: "check", spanId: rootSpanIdOf(traceId), kind: "SPAN_KIND_CLIENT" });
  const phases = spans.filter((span) => span.parentSpanId === root.spanId);
  expect(phases.map(({ name }) => name)).toEqual([
    "DNS lookup",
    "TCP connect",
    "time to first byte",
    "content transfer",
  ]);
  expect(phases[1].startTimeUnixNano).toBe(phases[0].endTimeUnixNano);
  const pay = spans.find(({ name }) => name === "pay");
  expect(pay).toMatchObject({ status: { code: "STATUS_CODE_ERROR", message: "no button" } });
  expect(test.receiver.logs.map(({ name }) => name)).toContain("synthetics.step.completed");
});

it.each(["http/protobuf", "http/json"] as const)(
  "metrics over %s: durations are counted once each, successes and certificates are exported",
  async (protocol) => {
    const check = await test.stage.aCheck();
    const other = await test.stage.aCheck();
    await test.stage.set({ endpoint: test.receiver.url, metrics: true, protocol });
    const validTo = new Date(Date.now() + 20.5 * 86_400_000).toISOString();
    await test.stage.store([
      { check, tls: tlsFacts({ validTo }) },
      { check },
      { check, status: 2 },
      { check: other },
    ]);
    await test.exportUntil(() => test.receiver.requests.some(({ signal }) => signal === "metrics"));
    const resources = test.receiver.requests
      .filter(({ signal }) => signal === "metrics")
      .flatMap(({ body }) => body.resourceMetrics);
    const ids = resources.map((of) => attributesOf(of.resource.attributes)["synthetics.check.id"]);
    expect(new Set(ids)).toEqual(new Set([check.id, other.id]));
    const metrics = resources[ids.indexOf(check.id)].scopeMetrics.flatMap(
      (scope: { metrics: unknown[] }) => scope.metrics,
    );
    const named = (name: string) => metrics.find((metric: { name: string }) => metric.name === name);
    const duration = named("synthetics.check.duration");
    expect(duration.unit).toBe("s");
    expect(["AGGREGATION_TEMPORALITY_DELTA", 1]).toContain(duration.histogram.aggregationTemporality);
    const counts = duration.histogram.dataPoints.map((point: { count: string; attributes: never[] }) => [
      attributesOf(point.attributes)["synthetics.check.status"],
      Number(point.count),
    ]);
    expect(counts).toEqual([
      ["success", 2],
      ["failure", 1],
    ]);
    const success = named("synthetics.check.success");
    const values = success.gauge.dataPoints.map((point: { asInt: string }) => Number(point.asInt));
    expect(values.sort()).toEqual([0, 1, 1]);
    const [left] = named("synthetics.tls.certificate.days_left").gauge.dataPoints;
    expect(Number(left.asInt)).toBe(20);
    expect(attributesOf(left.attributes)["server.address"]).toBe("shop.example.com");
  },
);
