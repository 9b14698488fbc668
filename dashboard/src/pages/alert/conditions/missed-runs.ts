import { type ConditionWords, counted, fieldsOf, numberOf, textOf } from "./condition-words.ts";

/** Words about slots without a result. */
export const missedRuns: ConditionWords = {
  type: "missed_runs",
  say({ threshold, observed }) {
    const count = numberOf(threshold);
    if (count === undefined || !Array.isArray(observed) || observed.length === 0) return undefined;
    const silent = observed.map((place) => textOf(fieldsOf(place).locationId));
    if (silent.includes(undefined)) return undefined;
    return {
      sentence: `The last ${counted(count, "slot")} have no result at ${silent.join(", ")}.`,
      threshold: `${counted(count, "slot")} without a result`,
      observed: `${counted(count, "slot")} at ${counted(silent.length, "location")}`,
    };
  },
};
