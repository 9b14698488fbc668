/** Computes how fast an error budget is spent, and which paces are worth an alert. Pure. */
import type { ResultCounts } from "./result-counts.ts";

/**
 * Returns how many times faster than evenly the budget was spent: the share of bad results over the share that is allowed.
 * 1 spends the budget exactly over the SLO's window; 0 while there is no result.
 * @param targetBasisPoints 1-9999
 */
export function burnRateOf(counts: Pick<ResultCounts, "total" | "good">, targetBasisPoints: number): number {
  if (counts.total === 0) return 0;
  return ((counts.total - counts.good) * 10_000) / (counts.total * (10_000 - targetBasisPoints));
}

/** A pace that is worth an alert: faster than the threshold over the long window, and still so over the short one. */
export interface Pace {
  name: "fast" | "slow";
  burnRateThreshold: number;
  longWindowMinutes: number;
  shortWindowMinutes: number;
}

/**
 * The usual two window pairs (Site Reliability Workbook, chapter 5): 2 % of a 30 day budget spent within an hour, 5 % within
 * six hours. The short window ends the alarm soon after the trouble.
 */
export const PACES: readonly Pace[] = [
  { name: "fast", burnRateThreshold: 14.4, longWindowMinutes: 60, shortWindowMinutes: 5 },
  { name: "slow", burnRateThreshold: 6, longWindowMinutes: 360, shortWindowMinutes: 30 },
];

/** A pace with an SLO's burn rates over its two windows. */
export interface PaceRates {
  pace: Pace;
  long: number;
  short: number;
}

/**
 * True when an SLO is above the pace's threshold: both windows take it there, and it stays until the long one falls back.
 */
export function isBurning({ pace, long, short, wasBurning }: PaceRates & { wasBurning: boolean }): boolean {
  const { burnRateThreshold } = pace;
  return long > burnRateThreshold && (wasBurning || short > burnRateThreshold);
}
