import { counted } from "@svc/contract";
import type { LocationInput } from "../inputs/condition-input.ts";
import { isSuccess, type StoredResult } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";

/** Holds while at least `failures` of the last `total` results across the check's locations are non-success. */
export const failureRatio = defineCondition("failure_ratio", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: ({ total }) => ({ results: total }),
  canBegin: (_condition, newResult) => !isSuccess(newResult),
  match: ({ failures, total }, { locations }) => {
    const newest = newestOf(locations, total);
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
  explain: ({ failures, total }, { locations }) => {
    const newest = newestOf(locations, total);
    const failed = newest.filter((result) => !isSuccess(result)).length;
    return {
      threshold: { failures, total },
      observed: failed,
      missing: `${failures} failures among the last ${counted(total, "run")}; of ${newest.length} there are ${failed}`,
    };
  },
});

/** Returns the newest results over all locations, newest first. */
function newestOf(locations: readonly LocationInput[], count: number): StoredResult[] {
  return locations
    .flatMap(({ results }) => results.slice(0, count))
    .sort((a, b) => b.slotMs - a.slotMs || a.locationKey - b.locationKey)
    .slice(0, count);
}
