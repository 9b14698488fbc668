import { counted } from "@svc/contract";
import { isSuccess } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";

/** Holds while at least `failures` of the last `total` results across the check's locations are non-success. */
export const failureRatio = defineCondition("failure_ratio", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: ({ total }) => ({ resultsOfAll: total }),
  canBegin: (_condition, newResult) => !isSuccess(newResult),
  match: ({ failures, total }, { newestOfAll }) => {
    const newest = newestOfAll(total);
    if (newest.failed < failures) return undefined;
    return {
      severity: "critical",
      threshold: { failures, total },
      observed: newest.failed,
      results: newest.failures,
      summary: `${newest.failed} of the last ${newest.runs} runs failed`,
    };
  },
  explain: ({ failures, total }, { newestOfAll }) => {
    const { failed, runs } = newestOfAll(total);
    return {
      threshold: { failures, total },
      observed: failed,
      missing: `${failures} failures among the last ${counted(total, "run")}; of ${runs} there are ${failed}`,
    };
  },
});
