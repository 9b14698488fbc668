import { isSuccess } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";

/** Holds while at least `failures` of the last `total` results across the check's locations are non-success. */
export const failureRatio = defineCondition("failure_ratio", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: ({ total }) => ({ results: total }),
  canBegin: (_condition, newResult) => !isSuccess(newResult),
  match: ({ failures, total }, { locations }) => {
    const newest = locations
      .flatMap(({ results }) => results.slice(0, total))
      .sort((a, b) => b.slotMs - a.slotMs || a.locationKey - b.locationKey)
      .slice(0, total);
    const failed = newest.filter((result) => !isSuccess(result));
    if (failed.length < failures) return undefined;
    return {
      severity: "critical",
      threshold: { failures, total },
      observed: failed.length,
      results: failed,
      summary: `${failed.length} of the last ${newest.length} runs failed`,
    };
  },
});
