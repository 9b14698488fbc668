/**
 * The ways out to addresses that teams choose: one for each team, so that no team's slow names hold up the lookups of
 * another. All of a process's ways share its threads.
 */
import type { TeamId } from "@svc/contract";
import {
  createEgress,
  createResolverHealth,
  type Egress,
  type EgressOptions,
  LookupShares,
  resolveBySystem,
} from "@svc/egress";
import { monotonicMs } from "./clock.ts";

/** Teams whose way out is remembered; it holds the judgement of addresses. */
const TEAMS_MAX = 1_000;
/** Threads that Node has when the environment says nothing. */
const THREADS_DEFAULT = 4;
/** Part of the threads that lookups may occupy. The rest is for files, compression and passwords. */
const LOOKUP_SHARE = 3 / 4;

/** Returns the way out for a team. */
export type TeamEgress = (teamId: TeamId) => Egress;

let lookupsOfSystem: LookupShares | undefined;

/** @param options the policy; `resolve` replaces the system's resolver and is shared like it */
export function createTeamEgress(options: EgressOptions): TeamEgress {
  const { resolve } = options;
  if (!resolve) lookupsOfSystem ??= sharesOf(resolveBySystem);
  const shares = resolve ? sharesOf(resolve) : (lookupsOfSystem as LookupShares);
  const resolverHealth = createResolverHealth(monotonicMs);
  const ways = new Map<TeamId, Egress>();
  return (teamId) => {
    const known = ways.get(teamId);
    if (known) return known;
    if (ways.size >= TEAMS_MAX) ways.clear();
    const egress = createEgress({
      ...(resolve ? {} : { resolverHealth }),
      ...options,
      resolve: shares.resolverOf(teamId),
    });
    ways.set(teamId, egress);
    return egress;
  };
}

function sharesOf(resolve: NonNullable<EgressOptions["resolve"]>): LookupShares {
  const threads = Number(process.env.UV_THREADPOOL_SIZE) || THREADS_DEFAULT;
  const concurrentMax = Math.max(2, Math.floor(threads * LOOKUP_SHARE));
  return new LookupShares({ resolve, concurrentMax, nowMs: monotonicMs });
}
