/** How many runners a location wants, so that an autoscaler can give them. Pure. */
import { BROWSER_PAGES_DEFAULT, FRESH_RUNS_DEFAULT } from "../base/run-limits.ts";
import { HOUR_MS, MINUTE_MS } from "../base/time.ts";
import type { Demand } from "./demand.ts";
import { type Capacity, capacityOf, limitShares } from "./share.ts";
import { CAPACITY_WARNING_BASIS_POINTS } from "./words.ts";

/** Shares and times by which the number of wanted runners changes. */
export const SCALING = {
  /** Above this share of each runner there are more at once: the line above which capacity pages warn. */
  raiseAboveBasisPoints: CAPACITY_WARNING_BASIS_POINTS,
  /** There are fewer only if each of them would stay at or below this share. */
  lowerToBasisPoints: 7_000,
  /** There are fewer only once fewer sufficed for so long. */
  holdMs: 10 * MINUTE_MS,
  /** A runner counts as overloaded once it has accepted nothing new for so long. */
  overloadedAfterMs: MINUTE_MS,
  /** Overload counts where at least one in so many runners is overloaded: one slow machine among many is no want of others. */
  overloadedOneIn: 4,
  /** A number of runners at which some were overloaded is not tried again under such a load for so long. */
  rememberMs: 7 * 24 * HOUR_MS,
} as const;

/** A load that falls below this part of that under which runners were overloaded may be met by fewer. */
const SIMILAR_LOAD = 0.9;
/** Capacity that is assumed of a runner where no runner has reported its own. */
const TYPICAL = {
  capacityPerSecond: 1_000,
  freshRuns: FRESH_RUNS_DEFAULT,
  browserPages: BROWSER_PAGES_DEFAULT,
};

/**
 * Returns the work of how many whole runners the demand is: of such as there are on average, or of typical ones where there are
 * none. What none of them can do, further ones of their kind could not do either, and is left out.
 */
export function runnersOfDemand(demand: Demand, capacity: Capacity): number {
  const known = capacity.runners > 0 ? capacity : capacityOf([{ count: 1, types: [], ...TYPICAL }]);
  const shares = Object.values(limitShares(demand, known)).filter(Number.isFinite);
  return Math.max(0, ...shares) * known.runners;
}

/** A location as it is seen now. */
export interface ScalingFacts {
  /** True while a check is to run there. */
  isWanted: boolean;
  /** The work there, in whole runners; see {@link runnersOfDemand}. */
  work: number;
  /** Connected runners that take new runs. */
  live: number;
  /** Those of them that have said for a while that they can take on nothing more. */
  overloaded: number;
}

/** The number of wanted runners, and what the next one depends on. Instants are Unix ms. */
export interface Scaling {
  wanted: number;
  /** Since when fewer suffice, and the most that were needed since; null: all are needed. */
  lower: { sinceMs: number; most: number } | null;
  /** The newest overload: the runners that were wanted because of it, and the work under which it came. */
  overload: { runners: number; work: number; atMs: number } | null;
}

/**
 * Returns the number of wanted runners. It rises at once and falls late, so that under a steady load it comes to rest: between 70 %
 * and 80 % of each runner it stays as it is, and a number at which runners were overloaded is avoided for a week.
 * @param before undefined: the location is seen for the first time
 */
export function nextScaling(before: Scaling | undefined, facts: ScalingFacts, nowMs: number): Scaling {
  const overload = overloadOf(before?.overload ?? null, facts, nowMs);
  const floor = facts.isWanted ? Math.max(1, floorOf(overload, facts.work)) : 0;
  const needed = Math.max(floor, runnersAt(facts, SCALING.raiseAboveBasisPoints));
  const enough = Math.max(floor, runnersAt(facts, SCALING.lowerToBasisPoints));
  if (!before || needed >= before.wanted) return { wanted: needed, lower: null, overload };
  if (enough >= before.wanted) return { wanted: before.wanted, lower: null, overload };
  const lower = {
    sinceMs: before.lower?.sinceMs ?? nowMs,
    most: Math.max(before.lower?.most ?? 0, enough),
  };
  if (nowMs - lower.sinceMs < SCALING.holdMs) return { wanted: before.wanted, lower, overload };
  return {
    wanted: lower.most,
    lower: lower.most > enough ? { sinceMs: nowMs, most: enough } : null,
    overload,
  };
}

function runnersAt({ isWanted, work }: ScalingFacts, basisPoints: number): number {
  // A quotient that is a whole number but for the rounding of its parts is that number.
  return isWanted ? Math.ceil((work * 10_000) / basisPoints - 1e-9) : 0;
}

function overloadOf(
  before: Scaling["overload"],
  { isWanted, work, live, overloaded }: ScalingFacts,
  nowMs: number,
): Scaling["overload"] {
  const known = before && nowMs - before.atMs < SCALING.rememberMs ? before : null;
  if (!isWanted || overloaded === 0 || overloaded * SCALING.overloadedOneIn < live) return known;
  return { runners: Math.max(floorOf(known, work), live + overloaded), work, atMs: nowMs };
}

/** Returns the runners that the overload asks for under this load: all, or as many fewer as the load is smaller. */
function floorOf(overload: Scaling["overload"], work: number): number {
  if (!overload) return 0;
  const part = overload.work === 0 ? 1 : Math.min(1, work / (SIMILAR_LOAD * overload.work));
  return Math.ceil(overload.runners * part - 1e-9);
}
