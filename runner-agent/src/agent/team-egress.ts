/** The ways out of an agent's runs: one for each team, so that no team's slow names hold up the lookups of another. */
import { createEgress, type Egress, LookupShares, resolveBySystem, systemResolverHealth } from "@svc/egress";

/** Teams whose way out is remembered; it holds the judgement of addresses that the team's checks go to. */
const TEAMS_MAX = 1_000;
/** Threads that Node has when the environment says nothing. */
const THREADS_DEFAULT = 4;
/** Part of the threads that lookups may occupy. The rest is for the spool, files and compression. */
const LOOKUP_SHARE = 3 / 4;

/** Returns the way out for a team's runs. */
type TeamEgress = (teamNumber: number, allowPrivate: boolean) => Egress;

/** @param threads size of the process's thread pool, as `UV_THREADPOOL_SIZE` has it; undefined: Node's default */
export function openTeamEgress(threads: string | undefined): TeamEgress {
  const concurrentMax = Math.max(2, Math.floor((Number(threads) || THREADS_DEFAULT) * LOOKUP_SHARE));
  const shares = new LookupShares({
    resolve: resolveBySystem,
    concurrentMax,
    nowMs: () => performance.now(),
  });
  const ways = new Map<number, Egress>();
  return (teamNumber, allowPrivate) => {
    const known = ways.get(teamNumber);
    // Whether private addresses are allowed changes at most once, with the first session.
    if (known?.allowPrivate === allowPrivate) return known;
    if (ways.size >= TEAMS_MAX) ways.clear();
    const egress = createEgress({
      allowPrivate,
      resolve: shares.resolverOf(teamNumber),
      resolverHealth: systemResolverHealth,
    });
    ways.set(teamNumber, egress);
    return egress;
  };
}
