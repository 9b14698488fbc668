import { expect, it } from "vitest";
import { readableDuration, readableInstant } from "./readable-time.ts";

it.each([
  [0, "0 s"],
  [499, "0 s"],
  [45_000, "45 s"],
  [125_000, "2 min 5 s"],
  [7_500_000, "2 h 5 min"],
  [7_205_000, "2 h 5 s"],
  [90_061_000, "1 d 1 h"],
  [-5_000, "0 s"],
])("%i ms is %s", (durationMs, text) => {
  expect(readableDuration(durationMs)).toBe(text);
});

it("an instant is shown in UTC, to the second", () => {
  expect(readableInstant("2026-06-01T14:00:05.678+02:00")).toBe("2026-06-01 12:00:05 UTC");
});
