import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Desired, DesiredMonitor } from "@svc/as-code/config";
import { createSecrets } from "@svc/as-code/plan";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../test-support/run-svc.ts";
import { Output } from "../output/output.ts";
import type { CliError } from "../runtime/cli-error.ts";
import { readConfig } from "./read-config.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

function desiredOf(files: Record<string, string>): Desired {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true });
    writeFileSync(join(folder.path, path), text);
  }
  const stream = { write: () => {}, isTty: false, columns: () => 80 };
  const out = new Output({
    stdout: stream,
    stderr: stream,
    secrets: createSecrets(),
    isJson: false,
    isQuiet: false,
    isVerbose: false,
    hasColor: false,
  });
  return readConfig({ out, system: { cwd: folder.path, env: {} } as never });
}

/** A monitor with what stands on the three levels. */
function monitorOf(levels: { defaults?: string; group?: string; monitor?: string }): DesiredMonitor {
  const { monitors } = desiredOf({
    "svc.config.yaml": `
project: p
alertChannels: { one: { type: email, addresses: [a@example.com] }, two: { type: email, addresses: [b@example.com] } }
defaults: { ${levels.defaults ?? ""} }
groups:
  - name: g
    ${levels.group ?? ""}
    monitors:
      - { name: m, type: http, url: https://a.example.com, ${levels.monitor ?? ""} }
`,
  });
  return monitors[0] as DesiredMonitor;
}

it("a body that is not sent is noted, with its place", () => {
  const text = `project: p
monitors:
  - { name: a, type: http, url: "https://a.example.com", body: x }
  - { name: b, type: http, url: "https://a.example.com", method: HEAD, body: x }
  - { name: c, type: http, url: "https://a.example.com", method: DELETE, body: x }
`;
  expect(desiredOf({ "svc.config.yaml": text }).notes).toMatchObject([
    { path: "monitors[0].body", line: 3, message: "not sent, since a GET request has no body" },
    { path: "monitors[1].body", line: 4, message: "not sent, since a HEAD request has no body" },
  ]);
});

const rule = (channel: string) =>
  `alerts: [{ conditions: [{ type: consecutive_failures }], channels: ["@${channel}"] }]`;
const channelsOf = ({ alerts }: DesiredMonitor) => alerts.flatMap(({ channels }) => channels);

it.each<[string, Parameters<typeof monitorOf>[0], Partial<DesiredMonitor>]>([
  [
    "nothing said",
    {},
    { frequencySeconds: 300, locations: ["loc_us_east", "loc_eu_central"], enabled: true },
  ],
  ["defaults", { defaults: "frequency: 1h, locations: [a]" }, { frequencySeconds: 3600, locations: ["a"] }],
  [
    "the group over defaults",
    { defaults: "frequency: 1h, locations: [a]", group: "frequency: 30s\n    locations: [b]" },
    { frequencySeconds: 30, locations: ["b"] },
  ],
  [
    "the monitor over both",
    { defaults: "frequency: 1h", group: "frequency: 30s", monitor: "frequency: 24h, locations: [c]" },
    { frequencySeconds: 86_400, locations: ["c"] },
  ],
])("frequency and locations cascade: %s", (_title, levels, expected) => {
  expect(monitorOf(levels)).toMatchObject(expected);
});

it.each<[string, Parameters<typeof monitorOf>[0], string[]]>([
  ["nothing said", {}, []],
  ["defaults", { defaults: rule("one") }, ["one"]],
  ["the group over defaults", { defaults: rule("one"), group: rule("two") }, ["two"]],
  ["an empty list of the group", { defaults: rule("one"), group: "alerts: []" }, []],
  ["an empty list of the monitor", { defaults: rule("one"), group: rule("two"), monitor: "alerts: []" }, []],
  ["the monitor over an empty list", { group: "alerts: []", monitor: rule("one") }, ["one"]],
])("alerts cascade as a whole: %s", (_title, levels, expected) => {
  expect(channelsOf(monitorOf(levels))).toEqual(expected);
});

it.each<[string, Parameters<typeof monitorOf>[0], Record<string, unknown>]>([
  ["the API's defaults", {}, { timeoutMs: 30_000, followRedirects: true, maxRedirects: 5, assertions: [] }],
  [
    "defaults key by key",
    { defaults: "http: { timeoutMs: 1000, maxRedirects: 2 }", monitor: "maxRedirects: 0" },
    { timeoutMs: 1000, maxRedirects: 0, followRedirects: true },
  ],
  [
    "assertions replace those of defaults",
    {
      defaults: "http: { assertions: [{ type: status_code, value: 200 }, { type: response_time, max: 9 }] }",
      monitor: "assertions: [{ type: ssl_expiry }]",
    },
    { assertions: [{ type: "ssl_expiry", daysBeforeExpiry: 14 }] },
  ],
  [
    "an empty list of assertions clears them",
    { defaults: "http: { assertions: [{ type: status_code, value: 200 }] }", monitor: "assertions: []" },
    { assertions: [] },
  ],
])("HTTP settings: %s", (_title, levels, expected) => {
  expect(monitorOf(levels).config).toMatchObject(expected);
});

it.each<[string, string, string[] | undefined]>([
  ["left out: as they are", "", undefined],
  ["an empty list: cleared", "labels: []", []],
  ["a list: the full set", "labels: [b, a:1]", ["a:1", "b"]],
])("labels %s", (_title, monitor, expected) => {
  expect(monitorOf({ monitor }).labels).toEqual(expected);
});

it("browser settings come from defaults.browser, scripts from their file, MCP monitors inherit no settings of HTTP", () => {
  const { monitors } = desiredOf({
    "flow.ts": "// @step: A\n1;",
    "svc.config.yaml": `
project: p
defaults: { http: { timeoutMs: 1000 }, browser: { timeoutMs: 60000, screenshotMode: disabled, viewport: { width: 800, height: 600 } } }
monitors:
  - { name: b, type: browser, script: flow.ts, viewport: { width: 10, height: 10 }, steps: [{ name: A }] }
  - { name: t, type: mcp, endpoint: https://mcp.example.com }
`,
  });
  expect(monitors[0]?.config).toMatchObject({
    browserMode: "scripted",
    script: "// @step: A\n1;",
    timeoutMs: 60_000,
    screenshotMode: "disabled",
    viewport: { width: 10, height: 10 },
    steps: [{ name: "A" }],
  });
  expect(monitors[1]?.config).toMatchObject({ timeoutMs: 30_000, detectSchemaDrift: true });
});

it.each<[string, number, string, number]>([
  ["99.9%", 9990, "30d", 30],
  ["99.99", 9999, "7", 7],
  ['"0.01%"', 1, "14d", 14],
])("an SLO's target %s is %d basis points, its window %s is %d days", (target, points, window, days) => {
  const { slos } = desiredOf({
    "svc.config.yaml": `project: p\nmonitors: [{ name: a, type: http, url: https://a.example.com }]\nslos: [{ name: s, monitor: a, target: ${target}, window: ${window} }]\n`,
  });
  expect(slos).toMatchObject([
    { targetBasisPoints: points, windowDays: days, burnRateAlertsEnabled: true, enabled: true, channels: [] },
  ]);
});

describe("a condition that can never hold for its monitor is a problem", () => {
  const alerts = (condition: string) => `alerts: [{ conditions: [{ ${condition} }], channels: ["@one"] }]`;
  const problemsOf = (levels: Parameters<typeof monitorOf>[0]): unknown => {
    try {
      monitorOf(levels);
    } catch (error) {
      return (error as CliError).details?.problems;
    }
    return [];
  };

  it.each([
    [
      "its own",
      { monitor: alerts("type: mcp_schema_drift") },
      "groups[0].monitors[0].alerts[0].conditions[0]",
      /: the check's type is http/,
    ],
    [
      "of its group",
      { group: alerts("type: baseline_anomaly, metric: lcp") },
      "groups[0].alerts[0].conditions[0]",
      /monitor "m" inherits it/,
    ],
    [
      "of defaults",
      { defaults: alerts("type: baseline_anomaly, metric: cls") },
      "defaults.alerts[0].conditions[0]",
      /only checks of type browser/,
    ],
  ])("%s", (_name, levels, path, message) => {
    expect(problemsOf(levels)).toMatchObject([
      { path, message: expect.stringMatching(message), line: expect.any(Number) },
    ]);
  });

  it("an https URL without redirects has a certificate", () => {
    expect(problemsOf({ monitor: `followRedirects: false, ${alerts("type: ssl_expiry")}` })).toEqual([]);
  });
});

it("a performance SLO needs its threshold, which no other takes", () => {
  const text = (more: string) => `project: p
monitors: [{ name: a, type: http, url: "https://a.example.com" }]
slos: [{ name: s, monitor: a, target: 99%, window: 7d, ${more} }]
`;
  for (const more of ["sliType: performance", "perfThresholdMs: 100"])
    expect(() => desiredOf({ "svc.config.yaml": text(more) })).toThrow("1 problem");
  const good = text("sliType: performance, perfThresholdMs: 100");
  expect(desiredOf({ "svc.config.yaml": good }).slos).toMatchObject([{ perfThresholdMs: 100 }]);
});
