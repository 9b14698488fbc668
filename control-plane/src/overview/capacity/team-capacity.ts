/** How the locations of a team stand, and how they would stand with other demands. Pure. */
import {
  type CapacityFigures,
  changedDemand,
  type Demand,
  demandOf,
  figuresOf,
  type LimitShares,
  NO_DEMAND,
  shareOf,
  type TeamId,
} from "@svc/contract";
import type { HostedLoad } from "./hosted-load.ts";
import { emptyPool, type Pool, poolsOf } from "./pools.ts";
import { RunTimes } from "./run-times.ts";
import type { CapacityLocationRow, LoadRow, RunnerGroupRow } from "./store.ts";

/** Everything that a team's capacity is counted from. */
export interface TeamCapacityInput {
  teamId: TeamId;
  locations: readonly CapacityLocationRow[];
  runners: readonly RunnerGroupRow[];
  load: readonly LoadRow[];
  hosted: HostedLoad;
}

/** Demands by the key of their location. */
export type Demands = ReadonlyMap<number, Demand>;

/** The capacity of the locations that a team can see. Keeps sums only, however many checks there are. */
export class TeamCapacity {
  readonly locations: readonly CapacityLocationRow[];
  readonly demands: Demands;
  readonly times: RunTimes;
  /** Enabled checks, each once per location. */
  readonly checkLocations: number;
  readonly #pools: ReadonlyMap<number, Pool>;
  readonly #others = new Map<Pool, LimitShares>();

  constructor({ teamId, locations, runners, load, hosted }: TeamCapacityInput) {
    this.locations = locations;
    this.times = new RunTimes(load);
    this.demands = demandsOf(load, this.times);
    this.checkLocations = load.reduce((sum, { checkKeys }) => sum + checkKeys.length, 0);
    const pools = poolsOf(runners);
    this.#pools = new Map(locations.map(({ key }) => [key, pools.get(key) ?? emptyPool(key)]));
    for (const { key, isHosted } of locations) {
      const pool = this.poolOf(key);
      if (isHosted && !this.#others.has(pool)) this.#others.set(pool, hosted.othersOf(teamId, pool));
    }
  }

  /** Returns the runners' pool of a location that the team can see. */
  poolOf(locationKey: number): Pool {
    return this.#pools.get(locationKey) ?? emptyPool(locationKey);
  }

  /** Returns how a location stands with the demands: its own decide the amounts, those of all locations of its pool the share. */
  figuresAt({ key, isHosted }: CapacityLocationRow, demands: Demands = this.demands): CapacityFigures {
    const pool = this.poolOf(key);
    const own = pool.locationKeys.reduce<Demand>(
      (sum, each) => changedDemand(sum, { added: demands.get(each) ?? NO_DEMAND }),
      NO_DEMAND,
    );
    return figuresOf(
      demands.get(key) ?? NO_DEMAND,
      shareOf(own, pool.capacity, this.#others.get(pool)),
      isHosted ? null : pool.capacity.runners,
    );
  }
}

/** Returns the demand of each location. */
export function demandsOf(load: readonly LoadRow[], times: RunTimes): Demands {
  const demands = new Map<number, Demand>();
  for (const row of load) {
    const { locationKey, type, kind } = row;
    const added = demandOf(
      row.frequencySeconds.map((frequencySeconds, at) => ({
        type,
        kind,
        frequencySeconds,
        runSeconds: times.secondsAt(locationKey, row, row.meanUs[at]),
      })),
    );
    demands.set(locationKey, changedDemand(demands.get(locationKey) ?? NO_DEMAND, { added }));
  }
  return demands;
}
