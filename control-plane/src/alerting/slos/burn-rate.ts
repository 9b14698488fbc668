/** How fast an error budget is spent, and from when on that is worth telling. Pure. */
import type { Counts } from "./result-counts.ts";

/**
 * How many times faster than evenly the budget was spent: the share of bad results over the share that is allowed. 1 spends
 * the budget exactly over the SLO's window; 0 while there is no result.
 * @param targetBasisPoints 1-9999
 */
export function burnRateOf(counts: Pick<Counts, "total" | "good">, targetBasisPoints: number): number {
  if (counts.total === 0) return 0;
  return ((counts.total - counts.good) * 10_000) / (counts.total * (10_000 - targetBasisPoints));
}

/** A pace that pages: faster than the threshold over a long window, and still so over a short one. */
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

/** Whether an SLO is above a pace's threshold: it gets there by both windows, and stays until the long one falls back. */
export function isBurning(
  { burnRateThreshold }: Pace,
  wasBurning: boolean,
  rates: { long: number; short: number },
): boolean {
  return rates.long > burnRateThreshold && (wasBurning || rates.short > burnRateThreshold);
}
