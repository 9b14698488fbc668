import { type ConditionWords, fieldsOf, numberOf, textOf } from "./condition-words.ts";

/** Words about a metric that left its usual range. */
export const baselineAnomaly: ConditionWords = {
  type: "baseline_anomaly",
  say({ threshold, observed }) {
    const { metric, sigmaThreshold, consecutiveCount } = fieldsOf(threshold);
    const { value, sigma, mean } = fieldsOf(observed);
    const name = textOf(metric)?.replaceAll("_", " ");
    const numbers = [sigmaThreshold, consecutiveCount, value, sigma, mean].map(numberOf);
    if (name === undefined || numbers.includes(undefined)) return undefined;
    const [limit, runs, seen, distance, usual] = numbers as [number, number, number, number, number];
    const side = distance > 0 ? "above" : "below";
    return {
      sentence: `The ${name} was ${round(seen)}, ${Math.abs(distance).toFixed(1)} standard deviations ${side} the usual ${round(usual)} of this hour of the week; the rule fires beyond ${limit} in ${runs} runs in a row.`,
      threshold: `${limit} standard deviations, ${runs} in a row`,
      observed: `${Math.abs(distance).toFixed(1)} ${side}`,
    };
  },
};

const round = (value: number) => Math.round(value * 1000) / 1000;
