import { expect, it } from "vitest";
import { judgeVitals } from "./vitals.ts";

it.each([
  ["lcpMs", 2_500, "Good"],
  ["lcpMs", 2_501, "Needs improvement"],
  ["lcpMs", 4_000, "Needs improvement"],
  ["lcpMs", 4_001, "Poor"],
  ["fcpMs", 1_800, "Good"],
  ["fcpMs", 3_001, "Poor"],
  ["cls", 0, "Good"],
  ["cls", 0.1, "Good"],
  ["cls", 0.11, "Needs improvement"],
  ["cls", 0.26, "Poor"],
  ["ttfbMs", 800, "Good"],
  ["ttfbMs", 1_800, "Needs improvement"],
  ["ttfbMs", 1_801, "Poor"],
])("%s of %d: %s", (field, value, word) => {
  expect(judgeVitals({ [field]: value }).flatMap(({ state }) => state?.word ?? [])).toEqual([word]);
});

it("a vital that was not measured has no judgement, and keeps its place", () => {
  const vitals = judgeVitals({ lcpMs: 120.4, cls: 0.05 });
  expect(vitals.map(({ short, text }) => [short, text])).toEqual([
    ["LCP", "120 ms"],
    ["FCP", "none"],
    ["CLS", "0.050"],
    ["TTFB", "none"],
  ]);
  expect(vitals[1]?.state).toBeUndefined();
});
