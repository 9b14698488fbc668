import { expect, it } from "vitest";
import type { CheckRow } from "../../status/check-rows.ts";
import { csvOf } from "./csv.ts";
import { frozen } from "./frozen-order.ts";
import { linesOf } from "./groups.ts";
import { toggledTerm } from "./terms.ts";

const row = (id: string, parts: Partial<CheckRow> = {}): CheckRow => ({
  id,
  name: id,
  type: "http",
  state: "healthy",
  frequencySeconds: 60,
  locations: ["loc_a"],
  failing: [],
  labels: [],
  project: null,
  responseTimeMs: null,
  availabilityBp: null,
  openSeverity: null,
  ...parts,
});
const nameOf = (id: string) => id.toUpperCase();
const textOf = (rows: readonly CheckRow[], by: string) =>
  linesOf(rows, by, nameOf).map((line) =>
    line.kind === "check"
      ? line.row.id
      : `${line.title}: ${line.checks}, ${line.healthy} ok, ${line.failing} bad`,
  );

it("a check stands in each of its groups; those that fail come first, and checks without a group last", () => {
  const rows = [
    row("a", { locations: ["loc_x", "loc_a"], labels: ["shop"] }),
    row("b", { locations: ["loc_x"], state: "unhealthy" }),
    row("c", { type: "mcp", project: "p", state: "paused" }),
  ];
  expect(textOf(rows, "location")).toEqual([
    "LOC_X: 2, 1 ok, 1 bad",
    "a",
    "b",
    "LOC_A: 2, 1 ok, 0 bad",
    "a",
    "c",
  ]);
  expect(textOf(rows, "label")).toEqual([
    "shop: 1, 1 ok, 0 bad",
    "a",
    "Without a label: 2, 0 ok, 1 bad",
    "b",
    "c",
  ]);
  expect(textOf(rows, "project").at(0)).toBe("p: 1, 0 ok, 0 bad");
  expect(textOf(rows, "nonsense")).toEqual(["a", "b", "c"]);
  const keys = linesOf(rows, "location", nameOf).map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

it("a frozen list keeps its order, and counts what would move", () => {
  const [a, b, c, d] = [row("a"), row("b"), row("c"), row("d")];
  expect(frozen([a, b, c], ["a", "b", "c"])).toEqual({ rows: [a, b, c], moved: 0 });
  expect(frozen([c, a, b], ["a", "b", "c"])).toEqual({ rows: [a, b, c], moved: 3 });
  expect(frozen([d, c, b], ["a", "b", "c"]).rows).toEqual([b, c, d]);
  expect(frozen([], ["a"])).toEqual({ rows: [], moved: 0 });
});

it("CSV has no formulas, and quotes what needs it", () => {
  const [, line] = csvOf(
    [
      row("chk_1", {
        name: '=HYPERLINK("http://x","y")',
        labels: ["a", "b"],
        responseTimeMs: 1.5,
        availabilityBp: 9990,
      }),
    ],
    nameOf,
  ).split("\r\n");
  expect(line).toBe(`chk_1,"'=HYPERLINK(""http://x"",""y"")",http,Healthy,LOC_A,,a; b,,60,1.5,0.999,`);
});

it.each([
  ["", "type:http", "type:http"],
  ["shop", "type:http", "shop type:http"],
  ["shop TYPE:http  x", "type:http", "shop x"],
  ["is:failing", "is:paused", "is:paused"],
  ["label:a", "label:b", "label:a label:b"],
  ["loc:a", "loc:b", "loc:b"],
])("%j with the term %s switched is %j", (text, term, switched) => {
  expect(toggledTerm(text, term)).toBe(switched);
});
