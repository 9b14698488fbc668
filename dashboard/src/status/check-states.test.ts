import { expect, it } from "vitest";
import { summaryOf, withStates } from "./check-states.ts";

it("checks are listed with those first that need somebody; a paused one counts for nothing", () => {
  const checks = ["a", "b", "c", "d"].map((id) => ({ id, enabled: id !== "d" }));
  const health = [
    { checkId: "a", health: "healthy" as const },
    { checkId: "b", health: "unhealthy" as const },
    { checkId: "d", health: "unhealthy" as const },
  ];
  const listed = withStates(checks, health).map(({ check, state }) => [check.id, state]);
  expect(listed).toEqual([
    ["b", "unhealthy"],
    ["c", "unknown"],
    ["a", "healthy"],
    ["d", "paused"],
  ]);
  expect(summaryOf(withStates(checks, health).map(({ state }) => state))).toBe("1 of 3 checks is failing");
});

it.each([
  [[], "No checks yet"],
  [["paused"], "All checks are paused"],
  [["healthy", "paused"], "The one check is healthy"],
  [["healthy", "healthy"], "All 2 checks are healthy"],
  [["healthy", "unknown"], "2 checks, 1 without results"],
  [["unhealthy", "unhealthy", "unknown"], "2 of 3 checks are failing"],
] as const)("%j: %s", (states, sentence) => {
  expect(summaryOf(states)).toBe(sentence);
});
