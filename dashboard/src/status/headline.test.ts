import { expect, it } from "vitest";
import { headlineOf } from "./headline.ts";

it.each([
  [{}, "No checks yet"],
  [{ disabled: 1 }, "All checks are paused"],
  [{ healthy: 1, disabled: 1 }, "The one check is healthy"],
  [{ healthy: 2 }, "All 2 checks are healthy"],
  [{ healthy: 1, unknown: 1 }, "2 checks, 1 without results"],
  [{ healthy: 1, unhealthy: 1, unknown: 1, disabled: 3 }, "1 of 3 checks is failing"],
  [{ unhealthy: 2, unknown: 1 }, "2 of 3 checks are failing"],
])("%j: %s", (some, sentence) => {
  const counts = { healthy: 0, unhealthy: 0, unknown: 0, disabled: 0, ...some };
  const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
  expect(headlineOf({ total, ...counts })).toBe(sentence);
});
