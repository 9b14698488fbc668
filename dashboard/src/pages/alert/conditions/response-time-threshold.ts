import { type ConditionWords, numberOf } from "./condition-words.ts";

/** Words about successes that took too long. */
export const responseTimeThreshold: ConditionWords = {
  type: "response_time_threshold",
  say({ threshold, observed }) {
    const [maxMs, seenMs] = [numberOf(threshold), numberOf(observed)];
    if (maxMs === undefined || seenMs === undefined) return undefined;
    return {
      sentence: `The newest success took ${Math.round(seenMs)} ms; the rule allows ${maxMs} ms.`,
      threshold: `${maxMs} ms`,
      observed: `${Math.round(seenMs)} ms`,
    };
  },
};
