import { expect, it } from "vitest";
import { bandOf } from "./usual-band.ts";

const MONDAY_MS = Date.parse("2026-11-23T00:00:00Z");
const HOUR_MS = 3_600_000;

it("has the bounds of each bucket's hour of the week, not below zero, and gaps where nothing is known", () => {
  const mean = Array.from({ length: 168 }, (_, hour) => (hour === 1 ? null : hour === 2 ? 10 : 100));
  const deviation = mean.map((value) => (value === null ? null : 20));
  const atMs = [0, 1, 2, 167].map((hour) => MONDAY_MS + hour * HOUR_MS + 59_000);
  expect(bandOf({ mean, deviation }, atMs)).toEqual({ low: [60, null, 0, 60], high: [140, null, 50, 140] });
});
