import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { metricsOf } from "./metrics-of.ts";

it("a metric that is declared twice is one metric", async () => {
  const registry = new Registry();
  metricsOf(registry)
    .counter("runs_total", "Runs.", { labelNames: ["status"] })
    .inc({ status: "ok" });
  metricsOf(registry)
    .counter("runs_total", "Runs.", { labelNames: ["status"] })
    .inc({ status: "ok" });
  expect(await registry.metrics()).toContain('runs_total{status="ok"} 2');
});

it("a collected gauge is set anew whenever the metrics are read", async () => {
  const registry = new Registry();
  let waiting = 1;
  metricsOf(registry).gauge("waiting", "Waiting.", { collect: (gauge) => gauge.set(waiting) });
  expect(await registry.metrics()).toContain("waiting 1");
  waiting = 2;
  expect(await registry.metrics()).toContain("waiting 2");
});
