import { expect, it } from "vitest";
import type { CheckRow } from "../../status/check-rows.ts";
import { filterOf } from "./filter.ts";
import { sorted } from "./sort.ts";

const row = (fields: Partial<CheckRow>): CheckRow => ({
  id: "chk",
  name: "Cart",
  type: "http",
  state: "healthy",
  frequencySeconds: 60,
  locations: ["loc_us_east"],
  failing: [],
  labels: [],
  project: null,
  responseTimeMs: 1,
  availabilityBp: null,
  openSeverity: null,
  ...fields,
});
const rows = [
  row({ name: "Cart of the shop", labels: ["Shop"], project: "web" }),
  row({ name: "Search", type: "browser", state: "unhealthy", openSeverity: "critical", responseTimeMs: 9 }),
  row({ name: "search: fast", state: "paused", locations: ["loc_eu_west"], responseTimeMs: null }),
];
const found = (text: string) => rows.filter(filterOf(text)).map(({ name }) => name);

it.each([
  ["", 3],
  ["SEARCH", 2],
  ["search fast", 1],
  ["label:shop", 1],
  ["label:sho", 0],
  ["type:browser is:failing", 1],
  ["is:paused", 1],
  ["is:alerting", 1],
  ["is:nonsense", 0],
  ["loc:eu", 1],
  ["code:yes", 1],
  ["code:no", 2],
  ["search:", 1],
])("%j finds %d", (text, count) => {
  expect(found(text)).toHaveLength(count);
});

it("sorts those that need somebody first, and by a column both ways, rows without a value last", () => {
  const names = (order: Parameters<typeof sorted>[1]) => sorted(rows, order).map(({ name }) => name);
  expect(names(undefined)[0]).toBe("Search");
  expect(names({ by: "responseTime", isDescending: false })).toEqual([
    "Cart of the shop",
    "Search",
    "search: fast",
  ]);
  expect(names({ by: "responseTime", isDescending: true })).toEqual([
    "Search",
    "Cart of the shop",
    "search: fast",
  ]);
  expect(names({ by: "name", isDescending: true })[0]).toBe("search: fast");
});
