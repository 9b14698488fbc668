import { expect, it } from "vitest";
import { midnights } from "./midnights.ts";

const DAY_MS = 86_400_000;
const fromMs = Date.parse("2026-10-22T12:00:00Z");

it("names days at midnight of the zone, also where a day has 25 hours", () => {
  const marks = midnights(fromMs, fromMs + 5 * DAY_MS, "Europe/Berlin");
  expect(marks.map(({ value }) => new Date(value).toISOString())).toEqual([
    "2026-10-22T22:00:00.000Z",
    "2026-10-23T22:00:00.000Z",
    "2026-10-24T22:00:00.000Z",
    "2026-10-25T23:00:00.000Z",
    "2026-10-26T23:00:00.000Z",
  ]);
  for (const { value, position } of marks) expect(position).toBeCloseTo((value - fromMs) / (5 * DAY_MS));
});

it("names at most eight days", () => {
  for (const days of [1, 8, 9, 30, 395])
    expect(midnights(fromMs, fromMs + days * DAY_MS, "UTC").length).toBeLessThanOrEqual(8);
});
