import { type ConditionWords, counted, fieldsOf, numberOf } from "./condition-words.ts";

/** Words about a share of runs that failed. */
export const failureRatio: ConditionWords = {
  type: "failure_ratio",
  say({ threshold, observed }) {
    const { failures, total } = fieldsOf(threshold);
    const [limit, runs, seen] = [numberOf(failures), numberOf(total), numberOf(observed)];
    if (limit === undefined || runs === undefined || seen === undefined) return undefined;
    return {
      sentence: `${counted(seen, "run")} of the last ${runs} failed; the rule fires at ${limit}.`,
      threshold: `${limit} of ${runs}`,
      observed: `${seen} of ${runs}`,
    };
  },
};
