import { DAY_MS, HOUR_MS, MINUTE_MS } from "@svc/contract";
import fc from "fast-check";
import { expect, it } from "vitest";
import { seriesGrid } from "./buckets.ts";

const atMs = Date.UTC(2026, 5, 1, 12);

it.each([
  [15 * MINUTE_MS, 10_000, 10_000, "results"],
  [HOUR_MS, 60_000, 60_000, "results"],
  [DAY_MS, 60_000, 5 * MINUTE_MS, "results"],
  [DAY_MS + 1, 60_000, HOUR_MS, "rollups"],
  [7 * DAY_MS, 60_000, HOUR_MS, "rollups"],
  [30 * DAY_MS, 60_000, 2 * HOUR_MS, "rollups"],
  [396 * DAY_MS, 60_000, DAY_MS, "rollups"],
])(
  "a range of %i ms of a check each %i ms has buckets of %i ms from %s",
  (lengthMs, periodMs, widthMs, source) => {
    expect(seriesGrid({ fromMs: atMs - lengthMs, toMs: atMs }, periodMs)).toMatchObject({ widthMs, source });
  },
);

it("buckets cover the range, are at most 400, and are whole", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 397 * DAY_MS }),
      fc.integer({ min: 10, max: 86_400 }),
      (lengthMs, period) => {
        const range = { fromMs: atMs - lengthMs, toMs: atMs };
        const grid = seriesGrid(range, period * 1000);
        expect(grid.count).toBeLessThanOrEqual(400);
        expect(grid.fromMs % grid.widthMs).toBe(0);
        expect(grid.fromMs).toBeLessThanOrEqual(range.fromMs);
        expect(grid.toMs).toBeGreaterThanOrEqual(range.toMs);
      },
    ),
  );
});
