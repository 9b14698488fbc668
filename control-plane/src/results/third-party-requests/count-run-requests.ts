/**
 * Counts the requests of browser runs by the third-party patterns of their teams, in the transaction that stores the
 * results: a result that is delivered again is not new and is not counted again.
 */
import { HOUR_MS, type HostRequests, hostMatcher, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import type { CountedRequests } from "./counted-requests.ts";
import { addRequests, readChecksWithPatterns, readPatternsOfTeams, type TeamPattern } from "./store.ts";

/** The requests of one run. */
export interface RunRequests {
  checkKey: number;
  slotMs: number;
  hosts: readonly HostRequests[];
}

/**
 * Adds the requests of new results to the counts. Two statements more for a group whose teams have patterns, one for
 * any other.
 */
export async function countRunRequests(trx: Knex, runs: readonly RunRequests[]): Promise<void> {
  const checks = await readChecksWithPatterns(trx, [...new Set(runs.map(({ checkKey }) => checkKey))]);
  if (checks.length === 0) return;
  const teamIds = [...new Set(checks.map(({ teamId }) => teamId))];
  const patterns = await readPatternsOfTeams(trx, teamIds);
  const matchers = new Map(
    teamIds.map((teamId) => [teamId, hostMatcher(patterns.filter((pattern) => pattern.teamId === teamId))]),
  );
  const matcherOf = new Map(checks.map(({ checkKey, teamId }) => [checkKey, matchers.get(teamId)]));
  await addRequests(
    trx,
    sumByBucket(runs, (checkKey, host) => matcherOf.get(checkKey)?.(host) ?? []),
  );
}

const BUCKETS = [
  { bucketSeconds: 60, lengthMs: MINUTE_MS },
  { bucketSeconds: 3600, lengthMs: HOUR_MS },
] as const;

/** Returns the sums of the runs, one per pattern, check and bucket. Pure. */
function sumByBucket(
  runs: readonly RunRequests[],
  patternsOf: (checkKey: number, host: string) => readonly TeamPattern[],
): CountedRequests[] {
  const sums = new Map<string, CountedRequests>();
  for (const { checkKey, slotMs, hosts } of runs)
    for (const { host, total, good } of hosts)
      for (const { key: patternKey } of patternsOf(checkKey, host))
        for (const { bucketSeconds, lengthMs } of BUCKETS) {
          const bucketMs = Math.floor(slotMs / lengthMs) * lengthMs;
          const id = `${bucketSeconds}:${patternKey}:${bucketMs}:${checkKey}`;
          const sum = sums.get(id);
          if (sum) {
            sum.total += total;
            sum.good += good;
          } else sums.set(id, { bucketSeconds, patternKey, bucketMs, checkKey, total, good });
        }
  return [...sums.values()];
}
