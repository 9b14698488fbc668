import { expect, it } from "vitest";
import type { Series } from "../../api/queries/history.ts";
import { effectOf } from "./effect.ts";

const from = "2026-03-01T12:00:00.000Z";
const series = {
  from,
  bucketMs: 60_000,
  series: [
    {
      success: [4, 2, 9, 0, 1],
      failure: [0, 1, 0, 2, 0],
      error: [0, 1, 0, 1, 0],
      timeout: [0, 0, 0, 0, 1],
      p50Ms: [100, 300, 1, 800, null],
    },
  ],
} as unknown as Series;

it("counts whole buckets on each side of the instant, and failures of any kind", () => {
  // 30 s into the third bucket, which counts for neither side.
  expect(effectOf(series, Date.parse(from) + 150_000)).toEqual({
    before: { results: 8, failedShare: 0.25, medianMs: 100 },
    after: { results: 5, failedShare: 0.8, medianMs: 800 },
  });
});

it("knows nothing where there are no results", () => {
  expect(effectOf({ ...series, series: [] }, 0).after).toEqual({
    results: 0,
    failedShare: undefined,
    medianMs: undefined,
  });
});
