import { Counter, Registry } from "prom-client";
import { expect, it } from "vitest";
import { mergeMetrics } from "./merge-metrics.ts";

async function metricsOf(process: string, runs: number): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  new Counter({ name: "runs_total", help: "Runs.", registers: [registry], labelNames: ["status"] }).inc(
    { status: "ok" },
    runs,
  );
  new Counter({ name: `only_${process}`, help: "One.", registers: [registry] }).inc();
  return registry.metrics();
}

it("describes each metric once, with the samples of all processes below it", async () => {
  const merged = mergeMetrics([await metricsOf("1", 3), "", await metricsOf("2", 4)]);
  expect(merged.split("\n").filter((line) => line !== "")).toEqual([
    "# HELP runs_total Runs.",
    "# TYPE runs_total counter",
    'runs_total{status="ok",process="1"} 3',
    'runs_total{status="ok",process="2"} 4',
    "# HELP only_1 One.",
    "# TYPE only_1 counter",
    'only_1{process="1"} 1',
    "# HELP only_2 One.",
    "# TYPE only_2 counter",
    'only_2{process="2"} 1',
  ]);
  expect(merged.endsWith("\n")).toBe(true);
});
