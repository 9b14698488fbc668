import { expect, it } from "vitest";
import { progressOf } from "./recovery.ts";

it("a failure begins the count of its location anew, and no more is counted than is needed", () => {
  const results = [
    ["loc_a", "success"],
    ["loc_a", "timeout"],
    ["loc_b", "success"],
    ["loc_a", "success"],
    ["loc_b", "success"],
    ["loc_b", "success"],
    ["loc_c", "error"],
  ] as const;
  expect(
    progressOf(
      results.map(([locationId, status]) => ({ locationId, status })),
      2,
    ),
  ).toEqual([
    { locationId: "loc_a", successes: 1 },
    { locationId: "loc_b", successes: 2 },
    { locationId: "loc_c", successes: 0 },
  ]);
  expect(progressOf([], 2)).toEqual([]);
});
