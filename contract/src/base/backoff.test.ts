import { expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

const OPTIONS = { firstMs: 100, largestMs: 5_000 };

it.each([
  [1, 100],
  [2, 200],
  [6, 3_200],
  [7, 5_000],
  [10_000, 5_000],
])("waits after %i failures for %i ms", (failures, expected) => {
  expect(backoffMs(failures, OPTIONS)).toBe(expected);
});

it("leaves the share that is jitter to chance", () => {
  expect(backoffMs(2, { ...OPTIONS, jitter: 0.5 }, 0)).toBe(100);
  expect(backoffMs(2, { ...OPTIONS, jitter: 0.5 }, 0.5)).toBe(150);
  expect(backoffMs(2, { ...OPTIONS, jitter: 1 }, 0)).toBe(0);
});
