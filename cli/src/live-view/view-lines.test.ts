import { createSecrets } from "@svc/as-code/plan";
import { describe, expect, it } from "vitest";
import { aCheck, aResult } from "../../test-support/samples.ts";
import { Output } from "../output/output.ts";
import { columnsOf } from "../output/width.ts";
import type { MonitorStatus } from "../resources/status/read-status.ts";
import { INITIAL, type LiveViewState } from "./state.ts";
import { viewLines } from "./view-lines.ts";

const nowhere = { write: () => {}, isTty: true, columns: () => 80 };
const out = new Output({
  stdout: nowhere,
  stderr: nowhere,
  secrets: createSecrets(),
  isJson: false,
  isQuiet: false,
  isVerbose: false,
  hasColor: false,
});
const around = { apiUrl: "http://127.0.0.1:8080", intervalSeconds: 30, nowMs: Date.UTC(2026, 5, 1, 12) };
const monitors = Array.from(
  { length: 100 },
  (_, i): MonitorStatus => ({
    id: `chk_${i}`,
    name: `monitor ${i} 監視 with a long name that goes on`,
    type: "http",
    status: "enabled",
    frequencySeconds: 60,
    health: "healthy",
    failingLocations: [],
    recent: [],
  }),
);
const LIST: LiveViewState = { ...INITIAL, monitors, readAtMs: around.nowMs };
const detail = {
  check: aCheck("Home", { configJson: { url: "https://u:s3cr3t@shop.example/" } }),
  results: Array.from({ length: 50 }, (_, i) => aResult(`res_${i}`, i * 60)),
} as unknown as NonNullable<LiveViewState["detail"]>;

const STATES: [string, LiveViewState][] = [
  ["before the first answer", INITIAL],
  ["the list", LIST],
  ["the list with a problem and a filter", { ...LIST, problem: "no answer ".repeat(3), filter: "1" }],
  ["a filter nothing matches", { ...LIST, mode: "filter", filter: "zzz" }],
  ["no monitor", { ...LIST, monitors: [] }],
  ["a detail that is being read", { ...LIST, mode: "detail" }],
  ["a detail", { ...LIST, mode: "detail", detail }],
];

describe.each([
  [80, 24],
  [200, 60],
  [60, 10],
  [40, 6],
])("%i columns and %i rows", (columns, rows) => {
  it.each(STATES)("fit %s into one line less than the terminal has", (_title, state) => {
    const lines = viewLines(out, state, { ...around, size: { columns, rows } });
    expect(lines.length).toBeLessThan(rows);
    // The renderer cuts all other lines.
    const table = lines.filter((line) => /^ *(›|HEALTH|healthy|TIME|now|\d+m ago)/.test(line));
    for (const line of columns >= 60 ? table : []) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
  });

  it.each([0, 1, 50, 98, 99])("show the selected monitor, also the %ith", (index) => {
    const lines = viewLines(
      out,
      { ...LIST, selectedId: `chk_${index}` },
      { ...around, size: { columns: 80, rows } },
    );
    expect(lines.filter((line) => line.startsWith("›"))).toEqual([
      expect.stringContaining(`monitor ${index}`),
    ]);
  });
});

it("a name can't act on the terminal, and a credential is not shown", () => {
  const named = { ...monitors[0], name: "a\u001b[2Jb\nc" } as MonitorStatus;
  const text = viewLines(
    out,
    { ...LIST, monitors: [named] },
    { ...around, size: { columns: 80, rows: 24 } },
  ).join("\n");
  expect(text).not.toContain("\u001b");
  expect(text).toMatch(/a +b +c/);
  const shown = viewLines(
    out,
    { ...LIST, mode: "detail", detail },
    { ...around, size: { columns: 80, rows: 24 } },
  ).join("\n");
  expect(shown).toContain("shop.example");
  expect(shown).not.toContain("s3cr3t");
});

it("after a failed reading the view says why, and when it was last read", () => {
  const lines = viewLines(
    out,
    { ...LIST, problem: "connect ECONNREFUSED" },
    { ...around, size: { columns: 80, rows: 24 } },
  );
  expect(lines.slice(0, 3).join("\n")).toMatch(/12:00:00 UTC[\s\S]*ECONNREFUSED; trying again/);
});

it("a detail that is longer than the terminal is scrolled to its end and no further", () => {
  const shown = (scrolled: number) =>
    viewLines(
      out,
      { ...LIST, mode: "detail", detail, scrolled },
      { ...around, size: { columns: 80, rows: 12 } },
    ).join("\n");
  expect(shown(0)).toContain("Name:");
  expect(shown(0)).not.toContain("49m ago");
  expect(shown(100)).toContain("49m ago");
  expect(shown(100)).toBe(shown(99));
});
