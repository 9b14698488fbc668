import { counted } from "@svc/contract";
import { isSuccess } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/** Holds while the last `count` results of any one of the check's locations are all non-success. */
export const consecutiveFailures = defineCondition("consecutive_failures", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: ({ count }) => ({ results: count }),
  canBegin: (_condition, newResult) => !isSuccess(newResult),
  match: ({ count }, { locations }) => {
    const failing = locations.filter(({ failedInARow }) => failedInARow >= count);
    if (failing.length === 0) return undefined;
    return {
      severity: "critical",
      threshold: count,
      observed: Math.max(...failing.map(({ failedInARow }) => failedInARow)),
      results: () => failing.flatMap(({ results }) => results.slice(0, count)),
      summary: `${count === 1 ? "failing" : `${count} failures in a row`} from ${locationNames(failing)}`,
    };
  },
  explain: ({ count }, { locations }) => {
    const [worst] = [...locations].sort((a, b) => b.failedInARow - a.failedInARow);
    const observed = worst?.failedInARow ?? 0;
    const so =
      worst && observed > 0
        ? `; so far ${observed} from ${worst.name}`
        : "; the newest run of each succeeded";
    return {
      threshold: count,
      observed,
      missing: `${counted(count, "failure")} in a row from one location${so}`,
    };
  },
});
