import { expect, it } from "vitest";
import { usedByText } from "./standing.tsx";

it.each([
  [0, 0, 0, "nothing"],
  [1, 0, 0, "1 rule"],
  [2, 1, 0, "2 rules, 1 SLO"],
  [0, 2, 3, "2 SLOs, 3 locations"],
])("%i rules, %i SLOs, %i locations: %s", (ruleCount, sloCount, locationCount, text) => {
  expect(usedByText({ ruleCount, sloCount, locationCount })).toBe(text);
});
