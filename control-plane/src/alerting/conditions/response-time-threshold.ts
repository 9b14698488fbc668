import type { LocationInput } from "../inputs/condition-input.ts";
import { isSuccess, type StoredResult } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/** Holds while the newest success of any one of the check's locations took longer than `maxMs`. */
export const responseTimeThreshold = defineCondition("response_time_threshold", {
  isAboutFailure: false,
  mayComeFromDependency: true,
  recoversOn: "success",
  needs: () => ({ newestSuccess: true }),
  canBegin: ({ maxMs }, newResult) => isSuccess(newResult) && newResult.responseTimeUs > maxMs * 1000,
  match: ({ maxMs }, { locations }) => {
    const slow = locations.flatMap((location) => {
      const newest = newestSuccess(location);
      return newest && newest.responseTimeUs > maxMs * 1000 ? [{ ...location, newest }] : [];
    });
    if (slow.length === 0) return undefined;
    const slowestMs = Math.max(...slow.map(({ newest }) => newest.responseTimeUs)) / 1000;
    return {
      severity: "critical",
      threshold: maxMs,
      observed: slowestMs,
      results: slow.map(({ newest }) => newest),
      summary: `${Math.round(slowestMs)} ms, more than ${maxMs} ms, from ${locationNames(slow)}`,
    };
  },
  explain: ({ maxMs }, { locations }) => {
    const times = locations.flatMap((location) => newestSuccess(location)?.responseTimeUs ?? []);
    const slowestMs = times.length === 0 ? null : Math.max(...times) / 1000;
    const so =
      slowestMs === null ? "no run has succeeded yet" : `the slowest took ${Math.round(slowestMs)} ms`;
    return {
      threshold: maxMs,
      observed: slowestMs,
      missing: `a success that takes more than ${maxMs} ms; ${so}`,
    };
  },
});

/** Returns the newest success of the location, which stands behind the failures since. */
function newestSuccess({ results, failedInARow }: LocationInput): StoredResult | undefined {
  return results[failedInARow];
}
