import { expect, it } from "vitest";
import { baselineProgress, type HourSamples } from "./baseline-progress.ts";

const nowMs = Date.parse("2026-11-02T12:00:00Z");
/** Samples of the first hours of the week at a location. */
const hours = (locationKey: number, count: number, sampleCount = 20): HourSamples[] =>
  Array.from({ length: count }, (_, hour) => ({ locationKey, hour, sampleCount }));

it.each<[string, HourSamples[], number, number, string | null]>([
  ["nothing yet, every 5 minutes: two weeks", [], 300, 0, "2026-11-16"],
  ["nothing yet, every hour: twenty weeks", [], 3_600, 0, "2027-03-22"],
  ["an hour known at one of two locations is not known", hours(1, 31), 300, 0, "2026-11-16"],
  ["some hours known at both", [...hours(1, 40), ...hours(2, 31)], 300, 31, "2026-11-16"],
  ["a sample short everywhere", [...hours(1, 168, 19), ...hours(2, 168, 19)], 300, 0, "2026-11-09"],
  ["all known", [...hours(1, 168), ...hours(2, 168)], 300, 168, null],
])("%s", (_name, samples, frequencySeconds, hoursKnown, judgesFrom) => {
  const input = { metric: "ttfb" as const, locationKeys: [1, 2], samples, frequencySeconds, nowMs };
  expect(baselineProgress(input)).toEqual({ metric: "ttfb", hoursKnown, hoursTotal: 168, judgesFrom });
});
