import { expect, it } from "vitest";
import type { Series } from "../../api/queries/history.ts";
import { slowestOf } from "./slowest.ts";

const at = (locationId: string | null, success: number[], avgMs: (number | null)[], failure: number[] = []) =>
  ({ locationId, success, failure, error: [], timeout: [], avgMs }) as unknown as Series["series"][number];

it.each([
  [
    "the mean over results, not over buckets",
    [at("a", [99, 1], [10, 1000]), at("b", [1, 1], [25, 25])],
    "b",
    25,
  ],
  ["failures count, too", [at("a", [1], [10]), at("b", [0], [30], [2])], "b", 30],
  ["a location without results is none", [at("a", [0], [null]), at("b", [1], [5])], "b", 5],
] as const)("%s", (_name, series, locationId, avgMs) => {
  expect(slowestOf([...series])).toEqual({ locationId, avgMs });
});

it("is none when nothing ran", () => {
  expect(slowestOf([at("a", [0], [null]), at(null, [3], [9])])).toBeUndefined();
});
