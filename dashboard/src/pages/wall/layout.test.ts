import { expect, it } from "vitest";
import type { CheckRow } from "../../status/check-rows.ts";
import { groupsOf, layOut } from "./layout.ts";

const SCREEN = { width: 1856, height: 960 };

function row(name: string, changed: Partial<CheckRow> = {}): CheckRow {
  const fixed = { id: name, name, type: "http", state: "healthy", locations: ["loc_a"], labels: [] };
  return { ...fixed, failing: [], ...changed } as unknown as CheckRow;
}

/** Returns checks by their number. */
function rows(count: number): CheckRow[] {
  return Array.from({ length: count }, (_, i) => row(`Check ${i}`));
}

const nameOf = (id: string) => id.toUpperCase();
const namesOf = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ name, rows: members }) => [name, ...members.map((one) => one.name)]);

it("failing checks are first, in their group and by their group; a check is in each group that it belongs to", () => {
  const all = [
    row("Search", { labels: ["team:a"] }),
    row("Checkout", { labels: ["team:b", "tier:1"], state: "unhealthy" }),
    row("Old", { labels: ["team:a"], state: "paused" }),
    row("Bare", { locations: ["loc_b"] }),
  ];
  expect(namesOf(groupsOf(all, undefined, nameOf))).toEqual([["", "Checkout", "Bare", "Search", "Old"]]);
  expect(namesOf(groupsOf(all, "label", nameOf))).toEqual([
    ["team:b", "Checkout"],
    ["tier:1", "Checkout"],
    ["team:a", "Search", "Old"],
    ["Without label", "Bare"],
  ]);
  expect(namesOf(groupsOf(all, "location", nameOf)).map(([name]) => name)).toEqual(["LOC_A", "LOC_B"]);
});

it("few checks get large tiles, many get small ones, and all are on one page while they fit", () => {
  const few = layOut([{ name: "", rows: rows(5) }], SCREEN);
  const many = layOut([{ name: "", rows: rows(100) }], SCREEN);
  expect([few.pages.length, many.pages.length]).toEqual([1, 1]);
  expect(few.columns).toBeLessThan(many.columns);
  expect(many.pages[0]?.[0]?.rows).toHaveLength(100);
});

it.each([
  [SCREEN, 1_000],
  [{ width: 288, height: 400 }, 30],
  [{ width: 10, height: 10 }, 3],
])("more than fit are on further pages, at most 200 on each: %j", (size, count) => {
  const groups = [
    { name: "a", rows: rows(count) },
    { name: "b", rows: rows(2) },
  ];
  const { pages, columns } = layOut(groups, size);
  expect(columns).toBeGreaterThan(0);
  const counts = pages.map((page) => page.reduce((sum, group) => sum + group.rows.length, 0));
  expect(counts.every((tiles) => tiles > 0 && tiles <= 200)).toBe(true);
  expect(counts.reduce((sum, tiles) => sum + tiles, 0)).toBe(count + 2);
});
