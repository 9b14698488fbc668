/** How checks did before and after an instant. No I/O. */
import type { Series } from "../../api/queries/history.ts";

/** Figures of one side of the instant. */
export interface SideFigures {
  results: number;
  /** From 0 to 1; undefined: there were no results. */
  failedShare: number | undefined;
  /** Median of the response times, ms, as exact as the buckets are; undefined: none is known. */
  medianMs: number | undefined;
}

/** Returns how a check did before and after an instant; the bucket that the instant lies in counts for neither. @param atMs Unix ms */
export function effectOf(series: Series, atMs: number): { before: SideFigures; after: SideFigures } {
  const [all] = series.series;
  const fromMs = Date.parse(series.from);
  const before: Bucket[] = [];
  const after: Bucket[] = [];
  all?.success.forEach((success, i) => {
    const beginMs = fromMs + i * series.bucketMs;
    const failed = (all.failure[i] ?? 0) + (all.error[i] ?? 0) + (all.timeout[i] ?? 0);
    const bucket = { results: success + failed, failed, medianMs: all.p50Ms[i] ?? undefined };
    if (beginMs + series.bucketMs <= atMs) before.push(bucket);
    else if (beginMs >= atMs) after.push(bucket);
  });
  return { before: figuresOf(before), after: figuresOf(after) };
}

interface Bucket {
  results: number;
  failed: number;
  medianMs: number | undefined;
}

function figuresOf(buckets: readonly Bucket[]): SideFigures {
  const results = buckets.reduce((sum, one) => sum + one.results, 0);
  const failed = buckets.reduce((sum, one) => sum + one.failed, 0);
  return { results, failedShare: results === 0 ? undefined : failed / results, medianMs: medianOf(buckets) };
}

/** Returns the median of the buckets' medians, each as often as it has results. */
function medianOf(buckets: readonly Bucket[]): number | undefined {
  const known = buckets
    .filter((one): one is Bucket & { medianMs: number } => one.medianMs !== undefined && one.results > 0)
    .sort((a, b) => a.medianMs - b.medianMs);
  let left = known.reduce((sum, { results }) => sum + results, 0) / 2;
  return known.find(({ results }) => {
    left -= results;
    return left <= 0;
  })?.medianMs;
}
