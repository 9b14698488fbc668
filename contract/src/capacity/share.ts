/** Which share of what a location's runners can do its checks take. Pure. */
import { SHARED_PAGES_MAX } from "../base/run-limits.ts";
import { allRuns, type Demand } from "./demand.ts";

const HOUR_US = 3_600_000_000;
const MILLION = 1_000_000;
const WHOLE_BASIS_POINTS = 10_000;

/** Some equal runners of a location. */
export interface RunnerAbility {
  count: number;
  /** Check types that they can run. */
  types: readonly string[];
  /** Runs a second that each is ready to take on. */
  capacityPerSecond: number;
  /** Places of each for fresh runs. */
  freshRuns: number;
  /** Pages that each has memory for; 0: no browser. */
  browserPages: number;
}

/** The work that runners can do in an hour, in the units of a {@link Demand}. */
export interface Capacity {
  readonly runners: number;
  readonly types: ReadonlySet<string>;
  readonly runs: number;
  readonly freshUs: number;
  readonly pageUs: number;
  readonly memoryUs: number;
}

/** Reasons for which no share can be said. */
export const SHARE_REASONS = ["no_runner", "no_runner_for_type"] as const;

/** The share that is taken, or why it can't be said. */
export interface Share {
  shareBasisPoints: number | null;
  reason: (typeof SHARE_REASONS)[number] | null;
}

/** Returns what the runners can do together. */
export function capacityOf(runners: Iterable<RunnerAbility>): Capacity {
  const types = new Set<string>();
  const sum = { runners: 0, runs: 0, freshUs: 0, pageUs: 0, memoryUs: 0 };
  for (const { count, types: own, capacityPerSecond, freshRuns, browserPages } of runners) {
    for (const type of own) types.add(type);
    sum.runners += count;
    sum.runs += count * capacityPerSecond * 3_600 * MILLION;
    sum.freshUs += count * freshRuns * HOUR_US;
    sum.pageUs += count * Math.min(browserPages, SHARED_PAGES_MAX) * HOUR_US;
    sum.memoryUs += count * browserPages * HOUR_US;
  }
  return { ...sum, types };
}

/**
 * Returns the share: that of the limit which is nearest to its end. Any demand is at least one basis point.
 * @param others further parts of each limit that are taken, 0 to 1 and above
 */
export function shareOf(demand: Demand, capacity: Capacity, others: LimitShares = NO_SHARES): Share {
  if (capacity.runners === 0) return { shareBasisPoints: null, reason: "no_runner" };
  if (Object.keys(demand.runs).some((type) => !capacity.types.has(type)))
    return { shareBasisPoints: null, reason: "no_runner_for_type" };
  const own = limitShares(demand, capacity);
  const highest = Math.max(...LIMITS.map((limit) => own[limit] + others[limit]));
  if (!Number.isFinite(highest)) return { shareBasisPoints: null, reason: "no_runner_for_type" };
  const rounded = Math.round(highest * WHOLE_BASIS_POINTS);
  return { shareBasisPoints: highest > 0 ? Math.max(1, rounded) : 0, reason: null };
}

const LIMITS = ["runs", "freshUs", "pageUs", "memoryUs"] as const;
/** Part of each limit of runners that is taken; 1: all of it. */
export type LimitShares = Readonly<Record<(typeof LIMITS)[number], number>>;
const NO_SHARES: LimitShares = { runs: 0, freshUs: 0, pageUs: 0, memoryUs: 0 };

/** Returns the part of each limit that the demand takes; Infinity where there is demand and nothing to meet it. */
export function limitShares(demand: Demand, capacity: Capacity): LimitShares {
  const used = { ...demand, runs: allRuns(demand) };
  const part = (limit: (typeof LIMITS)[number]) => (used[limit] === 0 ? 0 : used[limit] / capacity[limit]);
  return { runs: part("runs"), freshUs: part("freshUs"), pageUs: part("pageUs"), memoryUs: part("memoryUs") };
}

/** Returns the shares rounded to the nearest tenth: what one team may know of the others'. */
export function roundedShares(shares: LimitShares): LimitShares {
  const tenth = (limit: (typeof LIMITS)[number]) =>
    Number.isFinite(shares[limit]) ? Math.round(shares[limit] * 10) / 10 : 0;
  return {
    runs: tenth("runs"),
    freshUs: tenth("freshUs"),
    pageUs: tenth("pageUs"),
    memoryUs: tenth("memoryUs"),
  };
}
