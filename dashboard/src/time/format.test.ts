import { expect, it } from "vitest";
import { durationText, percentText } from "./format.ts";

it.each([
  [0, "0 ms"],
  [999.4, "999 ms"],
  [1_000, "1 s"],
  [61_000, "1 min 1 s"],
  [3_600_000, "1 h"],
  [90_061_000, "1 d 1 h"],
])("%i ms are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it("a share is 100 % only when nothing is missing", () => {
  expect([1, 0.99999, 0, 0.5].map(percentText)).toEqual(["100.00 %", "99.99 %", "0.00 %", "50.00 %"]);
});
