/** Finds the location where a check is slowest. Pure. */
import type { Series } from "../../api/queries/history.ts";

/** Returns the location with the highest mean response time over all its results; undefined when there is none. */
export function slowestOf(series: Series["series"]): { locationId: string; avgMs: number } | undefined {
  let slowest: { locationId: string; avgMs: number } | undefined;
  for (const { locationId, success, failure, error, timeout, avgMs } of series) {
    if (locationId === null) continue;
    let results = 0;
    let sumMs = 0;
    for (const [i, ms] of avgMs.entries()) {
      const count = (success[i] ?? 0) + (failure[i] ?? 0) + (error[i] ?? 0) + (timeout[i] ?? 0);
      results += count;
      sumMs += (ms ?? 0) * count;
    }
    if (results > 0 && (!slowest || sumMs / results > slowest.avgMs))
      slowest = { locationId, avgMs: sumMs / results };
  }
  return slowest;
}
