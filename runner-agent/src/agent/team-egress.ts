/**
 * Network access of an agent's runs: one Egress per team, so that a team whose names resolve slowly holds up no other's
 * lookups.
 */
import { createEgress, createResolverHealth, type Egress, LookupShares, resolveBySystem } from "@svc/egress";

/** Most teams whose Egress is remembered, each with its judgements of the addresses that the team's checks use. */
const TEAMS_MAX = 1_000;
/** Size of Node's thread pool when `UV_THREADPOOL_SIZE` is not set. */
const THREADS_DEFAULT = 4;
/** Part of the threads that lookups may occupy. The rest is for the spool, files and compression. */
const LOOKUP_SHARE = 3 / 4;

/** Returns the network access of a team's runs. */
export type TeamEgress = (teamNumber: number, allowPrivate: boolean) => Egress;

/**
 * @param threads size of the process's thread pool, as `UV_THREADPOOL_SIZE` has it; undefined: Node's default
 * @param monotonicMs monotonic clock, ms
 */
export function openTeamEgress(threads: string | undefined, monotonicMs: () => number): TeamEgress {
  const concurrentMax = Math.max(2, Math.floor((Number(threads) || THREADS_DEFAULT) * LOOKUP_SHARE));
  const shares = new LookupShares({
    resolve: resolveBySystem,
    concurrentMax,
    nowMs: monotonicMs,
  });
  const resolverHealth = createResolverHealth(monotonicMs);
  const ways = new Map<number, Egress>();
  return (teamNumber, allowPrivate) => {
    const known = ways.get(teamNumber);
    // Whether private addresses are allowed changes at most once, with the first session.
    if (known?.allowPrivate === allowPrivate) return known;
    if (ways.size >= TEAMS_MAX) ways.clear();
    const egress = createEgress({
      allowPrivate,
      resolve: shares.resolverOf(teamNumber),
      resolverHealth,
    });
    ways.set(teamNumber, egress);
    return egress;
  };
}
