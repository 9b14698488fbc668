/** Computes the course of an error budget from counts by the hour. Pure. */
import { BUDGET_CONSUMERS_MAX, DAY_MS, HOUR_MS, type SloSeries } from "@svc/contract";
import type { ResultCounts } from "./result-counts.ts";
import type { Span } from "./span-pieces.ts";

/** Returns the hours of a window, of which the first and the last may be parts, in order. */
export function hoursOf({ fromMs, toMs }: Span): Span[] {
  const hours: Span[] = [];
  for (let beginMs = fromMs; beginMs < toMs; ) {
    const endMs = Math.min(toMs, (Math.floor(beginMs / HOUR_MS) + 1) * HOUR_MS);
    hours.push({ fromMs: beginMs, toMs: endMs });
    beginMs = endMs;
  }
  return hours;
}

/** An hour of the window with what was counted in it. */
export interface CountedHour extends Span {
  counts: Pick<ResultCounts, "total" | "good">;
}

const iso = (ms: number) => new Date(ms).toISOString();
const badOf = ({ counts: { total, good } }: CountedHour) => total - good;

/**
 * Returns how much of the budget was left after each hour, and the hours that spent most. The budget is that of all results
 * of the window, so the last point says what the status of the SLO says.
 * @param targetBasisPoints 1-9999
 */
export function budgetCourse(
  hours: readonly CountedHour[],
  targetBasisPoints: number,
): Pick<SloSeries, "points" | "consumers"> {
  const total = hours.reduce((sum, { counts }) => sum + counts.total, 0);
  const shareOf = (bad: number) =>
    total === 0 ? 0 : (bad * 10_000) / (total * (10_000 - targetBasisPoints));
  let spent = 0;
  const points = hours.map((hour) => {
    spent += badOf(hour);
    return {
      at: iso(hour.toMs),
      budgetLeft: 1 - shareOf(spent),
      total: hour.counts.total,
      bad: badOf(hour),
    };
  });
  const consumers = hours
    .filter((hour) => badOf(hour) > 0)
    .sort((a, b) => badOf(b) - badOf(a) || b.fromMs - a.fromMs)
    .slice(0, BUDGET_CONSUMERS_MAX)
    .map((hour) => ({
      from: iso(hour.fromMs),
      to: iso(hour.toMs),
      total: hour.counts.total,
      bad: badOf(hour),
      budgetShare: shareOf(badOf(hour)),
    }));
  return { points, consumers };
}

/**
 * Returns when the rest of the budget is spent at a pace, Unix ms; null when nothing is left, or nothing is being spent.
 * @param budgetLeft share of the budget
 * @param burnRate pace: 1 spends the whole budget over the window
 */
export function exhaustedAtMs({
  nowMs,
  windowDays,
  budgetLeft,
  burnRate,
}: {
  nowMs: number;
  windowDays: number;
  budgetLeft: number;
  burnRate: number;
}): number | null {
  if (budgetLeft <= 0 || burnRate <= 0) return null;
  return nowMs + (budgetLeft / burnRate) * windowDays * DAY_MS;
}
