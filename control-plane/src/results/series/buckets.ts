/** Decides into which buckets a range is divided. Pure. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, SERIES_BUCKETS_MAX } from "@svc/contract";
import type { TimeRange } from "../coverage/time-range.ts";

/** Longest range that is read from results. */
const RESULTS_RANGE_MAX_MS = DAY_MS;
/** Widths of buckets: people read a chart in these steps. */
const WIDTHS_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
];

/** The buckets of a series: whole ones, of which the first holds the begin of the range. */
export interface SeriesGrid extends TimeRange {
  widthMs: number;
  count: number;
  source: "results" | "rollups";
}

/**
 * Returns the buckets of a range.
 * @param periodMs time between two slots of the check: a bucket is not narrower, as long as that makes sense
 */
export function seriesGrid({ fromMs, toMs }: TimeRange, periodMs: number): SeriesGrid {
  const source = toMs - fromMs <= RESULTS_RANGE_MAX_MS ? "results" : "rollups";
  const least = source === "rollups" ? HOUR_MS : Math.min(periodMs, 5 * MINUTE_MS);
  // One more than fits, since the range may begin in the midst of a bucket.
  const fits = (widthMs: number) => widthMs >= least && (toMs - fromMs) / widthMs <= SERIES_BUCKETS_MAX - 1;
  const widthMs = WIDTHS_MS.find(fits) ?? 2 * DAY_MS;
  const firstMs = Math.floor(fromMs / widthMs) * widthMs;
  const count = Math.ceil((toMs - firstMs) / widthMs);
  return { fromMs: firstMs, toMs: firstMs + count * widthMs, widthMs, count, source };
}
