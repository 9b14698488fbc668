import { DataPointType } from "@opentelemetry/sdk-metrics";
import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import { expect, it } from "vitest";
import { prometheusMetrics } from "./prometheus-metrics.ts";

const registry = new Registry();
const registers = [registry];
const scope = { name: "svc", version: "1.0.0" };

async function collected() {
  const { resourceMetrics } = await prometheusMetrics(() => registry, 1_000, scope).collect();
  return resourceMetrics.scopeMetrics[0]?.metrics ?? [];
}

it("each metric keeps its name, labels and values; histograms have buckets of their own", async () => {
  new Counter({ name: "runs_total", help: "Runs.", labelNames: ["status"], registers }).inc(
    { status: "ok" },
    3,
  );
  new Gauge({
    name: "spool_bytes",
    help: "Spool.",
    registers,
    collect() {
      this.set(42);
    },
  });
  const seconds = new Histogram({
    name: "wait_seconds",
    help: "Wait.",
    labelNames: ["why"],
    buckets: [0.1, 1],
    registers,
  });
  for (const value of [0.05, 0.06, 0.5, 7]) seconds.observe({ why: "a" }, value);
  seconds.observe({ why: "b" }, 1);
  new Summary({ name: "sizes", help: "Sizes.", registers }).observe(1);

  const [counter, gauge, histogram, ...others] = await collected();
  expect(counter).toMatchObject({
    descriptor: { name: "runs_total", description: "Runs." },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
    dataPoints: [{ value: 3, attributes: { status: "ok" }, startTime: [1, 0] }],
  });
  expect(gauge).toMatchObject({ descriptor: { unit: "By" }, dataPoints: [{ value: 42, attributes: {} }] });
  expect(histogram).toMatchObject({
    descriptor: { unit: "s" },
    dataPoints: [
      {
        attributes: { why: "a" },
        value: { buckets: { boundaries: [0.1, 1], counts: [2, 1, 1] }, count: 4 },
      },
      {
        attributes: { why: "b" },
        value: { buckets: { boundaries: [0.1, 1], counts: [0, 1, 0] }, count: 1, sum: 1 },
      },
    ],
  });
  // OpenTelemetry has no form for a summary.
  expect(others).toEqual([]);
});

it("a program without metrics yet has none to send", async () => {
  const { resourceMetrics } = await prometheusMetrics(() => undefined, 0, scope).collect();
  expect(resourceMetrics.scopeMetrics[0]?.metrics).toEqual([]);
});
