import { type ConditionWords, counted, numberOf } from "./condition-words.ts";

/** Words about failures in a row at one location. */
export const consecutiveFailures: ConditionWords = {
  type: "consecutive_failures",
  say({ threshold, observed }) {
    const [count, seen] = [numberOf(threshold), numberOf(observed)];
    if (count === undefined || seen === undefined) return undefined;
    return {
      sentence: `One location had ${counted(seen, "failure")} in a row; the rule fires at ${count}.`,
      threshold: `${count} in a row`,
      observed: `${seen} in a row`,
    };
  },
};
