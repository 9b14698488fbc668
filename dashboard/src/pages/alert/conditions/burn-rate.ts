import { type ConditionWords, fieldsOf, numberOf } from "./condition-words.ts";

/** Words about an error budget that is spent too fast. */
export const burnRate: ConditionWords = {
  type: "burn_rate",
  say({ threshold, observed }) {
    const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = fieldsOf(threshold);
    const { long, short } = fieldsOf(observed);
    const numbers = [burnRateThreshold, longWindowMinutes, shortWindowMinutes, long, short].map(numberOf);
    if (numbers.includes(undefined)) return undefined;
    const [limit, longMinutes, shortMinutes, longRate, shortRate] = numbers as [
      number,
      number,
      number,
      number,
      number,
    ];
    return {
      sentence: `The error budget burned ${longRate.toFixed(1)} times as fast as planned over ${longMinutes} minutes and ${shortRate.toFixed(1)} times over ${shortMinutes}; the rule fires above ${limit}.`,
      threshold: `${limit} over ${longMinutes} and ${shortMinutes} min`,
      observed: `${longRate.toFixed(1)} and ${shortRate.toFixed(1)}`,
    };
  },
};
