import { type ConditionWords, counted, fieldsOf, numberOf } from "./condition-words.ts";

/** Words about locations that fail at once. */
export const multiLocationFailure: ConditionWords = {
  type: "multi_location_failure",
  say({ threshold, observed }) {
    const { minLocations, windowSeconds } = fieldsOf(threshold);
    const [least, seconds, seen] = [numberOf(minLocations), numberOf(windowSeconds), numberOf(observed)];
    if (least === undefined || seconds === undefined || seen === undefined) return undefined;
    return {
      sentence: `${counted(seen, "location")} failed within ${counted(seconds, "second")}; the rule fires at ${least}.`,
      threshold: `${counted(least, "location")} within ${seconds} s`,
      observed: counted(seen, "location"),
    };
  },
};
