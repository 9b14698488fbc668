/** Groups locations by the runners that serve them. Pure. */
import {
  BROWSER_PAGES_DEFAULT,
  type Capacity,
  capacityOf,
  FRESH_RUNS_DEFAULT,
  needsBrowser,
} from "@svc/contract";
import type { RunnerGroupRow } from "./store.ts";

/** Locations that share runners, directly or over others: they share one capacity. A private location is alone in its pool. */
export interface Pool {
  locationKeys: readonly number[];
  capacity: Capacity;
}

/** Returns the pool of each location that has a runner, by the location's key. */
export function poolsOf(groups: readonly RunnerGroupRow[]): Map<number, Pool> {
  const pools = new Map<number, { locationKeys: Set<number>; groups: RunnerGroupRow[] }>();
  for (const group of groups) {
    const joined = { locationKeys: new Set(group.locationKeys), groups: [group] };
    for (const other of new Set(group.locationKeys.map((key) => pools.get(key)))) {
      if (other === undefined) continue;
      for (const key of other.locationKeys) joined.locationKeys.add(key);
      joined.groups.push(...other.groups);
    }
    for (const key of joined.locationKeys) pools.set(key, joined);
  }
  const made = new Map<object, Pool>();
  for (const joined of new Set(pools.values()))
    made.set(joined, {
      locationKeys: [...joined.locationKeys],
      capacity: capacityOf(joined.groups.map(abilityOf)),
    });
  return new Map([...pools].map(([key, joined]) => [key, made.get(joined) as Pool]));
}

/** Returns the pool of a location without runners. */
export function emptyPool(locationKey: number): Pool {
  return { locationKeys: [locationKey], capacity: capacityOf([]) };
}

/** Returns what runners can do. Those of earlier versions don't say how many places they have. */
function abilityOf({ count, capabilities, capacityPerSecond, freshRuns, browserPages }: RunnerGroupRow) {
  const hasBrowser = capabilities.some(needsBrowser);
  return {
    count,
    types: capabilities,
    capacityPerSecond,
    freshRuns: freshRuns || FRESH_RUNS_DEFAULT,
    browserPages: hasBrowser ? browserPages || BROWSER_PAGES_DEFAULT : 0,
  };
}
