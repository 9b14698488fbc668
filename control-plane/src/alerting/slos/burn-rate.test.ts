import { describe, expect, test } from "vitest";
import { burnRateOf, isBurning, PACES, type Pace } from "./burn-rate.ts";

describe("burn rate", () => {
  test.each([
    ["no result", 0, 0, 9_900, 0],
    ["all good", 100, 100, 9_900, 0],
    ["exactly what is allowed", 100, 99, 9_900, 1],
    ["twice that", 100, 98, 9_900, 2],
    ["all bad, strictest target", 1, 0, 9_999, 10_000],
    ["all bad, loosest target", 1, 0, 1, 10_000 / 9_999],
  ])("%s: %i results, %i good, target %i", (_title, total, good, target, expected) => {
    expect(burnRateOf({ total, good }, target)).toBeCloseTo(expected, 10);
  });

  const fast = PACES[0] as Pace;
  test.each([
    ["both above begin it", false, 14.5, 14.5, true],
    ["exactly the threshold does not", false, 14.4, 14.5, false],
    ["the long one alone does not", false, 20, 14.4, false],
    ["the short one alone does not", false, 14.4, 99, false],
    ["it goes on while the long one is above", true, 14.5, 0, true],
    ["it ends when the long one is back", true, 14.4, 99, false],
  ])("%s", (_title, was, long, short, expected) => {
    expect(isBurning({ pace: fast, long, short, wasBurning: was })).toBe(expected);
  });
});
