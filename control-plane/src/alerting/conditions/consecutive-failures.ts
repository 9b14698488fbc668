import { defineCondition, placeNames } from "./condition.ts";
import { isSuccess } from "./condition-input.ts";

/** The last `count` results of one location are all non-success, for any one of the check's locations. */
export const consecutiveFailures = defineCondition("consecutive_failures", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: ({ count }) => ({ results: count }),
  mayBegin: (_condition, fresh) => !isSuccess(fresh),
  holds: ({ count }, { locations }) => {
    const failing = locations.filter(
      ({ results }) => results.length >= count && !results.slice(0, count).some(isSuccess),
    );
    if (failing.length === 0) return undefined;
    return {
      severity: "critical",
      threshold: count,
      observed: Math.max(...failing.map(({ results }) => failuresInARow(results))),
      results: failing.flatMap(({ results }) => results.slice(0, count)),
      summary: `${count === 1 ? "failing" : `${count} failures in a row`} from ${placeNames(failing)}`,
    };
  },
});

function failuresInARow(results: readonly { status: number }[]): number {
  const end = results.findIndex(isSuccess);
  return end < 0 ? results.length : end;
}
