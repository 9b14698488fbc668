/** The alert rules and the dashboard about svc itself: their metrics exist, their expressions parse, and each alert has its runbook. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";

const RULES = join(ROOT, "deploy/prometheus/svc-rules.yaml");
const RULE_TESTS = join(ROOT, "deploy/prometheus/svc-rules.test.yaml");
const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
const promtoolTitle = hasPromtool ? "promtool" : "promtool (skipped: Debian's package prometheus has it)";

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface Panel {
  title: string;
  targets: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

const rules = parse(readFileSync(RULES, "utf8")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
) as Rule[];
const { panels } = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/svc-dashboard.json"), "utf8")) as {
  panels: Panel[];
};

/** Names of the metrics that the programs declare, and of what every process has. */
function declaredMetrics(): ReadonlySet<string> {
  const names = new Set(["up", "process_cpu_seconds_total", "process_resident_memory_bytes"]);
  for (const folder of ["control-plane/src", "runner-agent/src"])
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (!entry.endsWith(".ts") || entry.endsWith(".test.ts")) continue;
      const text = readFileSync(join(ROOT, folder, entry), "utf8");
      for (const [, name = ""] of text.matchAll(/"(svc_[a-z_]+)"/g))
        if (/metric|Gauge|Counter|Histogram|registry/i.test(text)) names.add(name);
    }
  return names;
}

/** Names of the metrics in an expression, without what a histogram's series add. */
function metricsIn(expression: string): string[] {
  const names = expression.replaceAll(/"[^"]*"/g, '""').match(/\b(?:svc|process)_[a-z_]+|\bup\b/g) ?? [];
  return names.map((name) => name.replace(/_(?:bucket|count|sum)$/, ""));
}

const known = declaredMetrics();

describe("alert rules", () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))("%s asks for metrics that exist", (_, rule) => {
    const names = metricsIn(rule.expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(["critical", "warning"]).toContain(rule.labels.severity);
  });

  it("each have a section of the runbook, and the runbook has no other", () => {
    const runbook = readFileSync(join(ROOT, "docs/runbook.md"), "utf8");
    const sections = [...runbook.matchAll(/^## (Svc\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(rules.map(({ alert }) => alert));
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it("each fire in a test of the rules", () => {
    const tests = readFileSync(RULE_TESTS, "utf8");
    expect(rules.filter(({ alert }) => !tests.includes(`alertname="${alert}"`))).toEqual([]);
  });
});

describe("the Grafana dashboard", () => {
  it.each(panels.map((panel) => [panel.title, panel] as const))(
    "%s asks for metrics that exist",
    (_, { targets }) => {
      for (const { expr } of targets) {
        expect(metricsIn(expr).length).toBeGreaterThan(0);
        expect(metricsIn(expr).filter((name) => !known.has(name))).toEqual([]);
      }
    },
  );

  it("has no panels that overlap", () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe.skipIf(!hasPromtool)(promtoolTitle, () => {
  const promtool = (...args: string[]) => execFileSync("promtool", args, { encoding: "utf8" });

  it("finds the rules well formed, and all of their tests pass", () => {
    expect(promtool("check", "rules", RULES)).toContain(`${rules.length} rules found`);
    expect(promtool("test", "rules", RULE_TESTS)).toContain("SUCCESS");
  });

  it("parses each expression of the dashboard", () => {
    const { path, remove } = temporaryFolder();
    onTestFinished(remove);
    const file = join(path, "panels.yaml");
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const recorded = expressions.map((expr, number) => ({
      record: `panel:expression:${number}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules: recorded }] }));
    expect(promtool("check", "rules", file)).toContain(`${recorded.length} rules found`);
  });
});
