/** Counts the wanted runners of all locations, by the arithmetic of the capacity pages. */
import {
  changedDemand,
  type Demand,
  MINUTE_MS,
  NO_DEMAND,
  nextScaling,
  runnersOfDemand,
  type TeamId,
} from "@svc/contract";
import type { Services } from "../../../platform/services.ts";
import { BriefCache } from "../../brief-cache.ts";
import { HostedLoad } from "../hosted-load.ts";
import { emptyPool, type Pool, poolsOf } from "../pools.ts";
import { RunTimes } from "../run-times.ts";
import { type LoadRow, readHostedLoad, readPrivateLoad, readTypicalRuns } from "../store.ts";
import { demandsOf } from "../team-capacity.ts";
import { type LoadedGroupRow, readLoadedGroups, readScaledLocations, storeSteps } from "./store.ts";

/** Time for which the counted demand of checks is kept; reports of runners are read in each step. */
const DEMAND_MS = MINUTE_MS;
const ALL = "all teams";

/** Demand by the key of the location: private ones of their team, hosted ones of all. */
type DemandAt = (locationKey: number) => Demand;

/** Steps the numbers of all locations on. Call `step` again and again, on one replica at a time. */
export class WantedRunners {
  readonly #services: Pick<Services, "knex" | "clock">;
  readonly #demands = new BriefCache<DemandAt>(DEMAND_MS);

  constructor(services: Pick<Services, "knex" | "clock">) {
    this.#services = services;
  }

  /** Counts and stores the numbers. A repetition changes nothing but the age of what is kept. */
  async step(): Promise<void> {
    const { knex, clock } = this.#services;
    const nowMs = clock.nowMs();
    const [demandAt, groups, locations] = await Promise.all([
      this.#demands.get(ALL, nowMs, () => this.#readDemands(nowMs)),
      readLoadedGroups(knex),
      readScaledLocations(knex),
    ]);
    const pools = poolsOf(groups);
    const overloadedIn = overloadedOf(groups, pools);
    const steps = locations.map(({ key, state }) => {
      const pool = pools.get(key) ?? emptyPool(key);
      const live = pool.capacity.runners;
      const next = nextScaling(
        state ?? undefined,
        {
          isWanted: Object.keys(demandAt(key).runs).length > 0,
          work: runnersOfDemand(sumOf(pool, demandAt), pool.capacity),
          live,
          overloaded: overloadedIn.get(pool) ?? 0,
        },
        nowMs,
      );
      return { locationKey: key, wanted: next.wanted, live, state: next };
    });
    await storeSteps(knex, steps);
  }

  async #readDemands(nowMs: number): Promise<DemandAt> {
    const { knex } = this.#services;
    const hosted = new HostedLoad(await readHostedLoad(knex), await readTypicalRuns(knex, nowMs));
    const byTeam = new Map<TeamId, LoadRow[]>();
    for (const row of await readPrivateLoad(knex, nowMs)) {
      const rows = byTeam.get(row.teamId);
      if (rows) rows.push(row);
      else byTeam.set(row.teamId, [row]);
    }
    const own = new Map<number, Demand>();
    for (const rows of byTeam.values())
      for (const [key, demand] of demandsOf(rows, new RunTimes(rows))) own.set(key, demand);
    // Of a hosted location a team's rows are a part only; the whole replaces it.
    return (key) => (hosted.has(key) ? hosted.wholeAt(key) : (own.get(key) ?? NO_DEMAND));
  }
}

function sumOf({ locationKeys }: Pool, demandAt: DemandAt): Demand {
  return locationKeys.reduce<Demand>((sum, key) => changedDemand(sum, { added: demandAt(key) }), NO_DEMAND);
}

/** Returns how many runners of each pool are overloaded. */
function overloadedOf(
  groups: readonly LoadedGroupRow[],
  pools: ReadonlyMap<number, Pool>,
): ReadonlyMap<Pool, number> {
  const counts = new Map<Pool, number>();
  for (const { locationKeys, overloaded } of groups) {
    const pool = pools.get(locationKeys[0] ?? -1);
    if (pool) counts.set(pool, (counts.get(pool) ?? 0) + overloaded);
  }
  return counts;
}
