import { defineCondition, placeNames } from "./condition.ts";
import { isSuccess } from "./condition-input.ts";

/** The newest successful result of a location took longer than `maxMs`, for any one of the check's locations. */
export const responseTimeThreshold = defineCondition("response_time_threshold", {
  isAboutFailure: false,
  recoversOn: "success",
  needs: () => ({ newestSuccess: true }),
  mayBegin: ({ maxMs }, fresh) => isSuccess(fresh) && fresh.responseTimeUs > maxMs * 1000,
  holds: ({ maxMs }, { locations }) => {
    const slow = locations.flatMap((location) => {
      const newest = location.results.find(isSuccess);
      return newest && newest.responseTimeUs > maxMs * 1000 ? [{ ...location, newest }] : [];
    });
    if (slow.length === 0) return undefined;
    const slowestMs = Math.max(...slow.map(({ newest }) => newest.responseTimeUs)) / 1000;
    return {
      severity: "critical",
      threshold: maxMs,
      observed: slowestMs,
      results: slow.map(({ newest }) => newest),
      summary: `${Math.round(slowestMs)} ms, more than ${maxMs} ms, from ${placeNames(slow)}`,
    };
  },
});
