/** Judges whether a location fails as a whole, by a sample of the checks that run there. Pure. */
import type { SampledResult } from "./profile-store.ts";

/** Smallest number of failing checks that is no coincidence. */
const FAILING_CHECKS_MIN = 3;
const SHARE = 0.5;

/**
 * Returns the locations that fail as a whole, by location key, with counts of checks. Such a location has at least
 * three failing checks, these are more than half of the checks that reported there, and fewer than half of them fail
 * elsewhere, too.
 */
export function findFailingLocations(
  sampled: readonly SampledResult[],
): Map<number, { failing: number; total: number }> {
  const checks = new Map<string, { locationKey: number; failsHere?: boolean; failsElsewhere: boolean }>();
  for (const { sampledKey, checkKey, locationKey, isFailing } of sampled) {
    const id = `${sampledKey}:${checkKey}`;
    const check = checks.get(id) ?? { locationKey: sampledKey, failsElsewhere: false };
    if (locationKey === sampledKey) check.failsHere = isFailing;
    else if (isFailing) check.failsElsewhere = true;
    checks.set(id, check);
  }
  const counts = new Map<number, { failing: number; total: number; elsewhere: number }>();
  for (const { locationKey, failsHere, failsElsewhere } of checks.values()) {
    if (failsHere === undefined) continue;
    const count = counts.get(locationKey) ?? { failing: 0, total: 0, elsewhere: 0 };
    count.total++;
    if (failsHere) count.failing++;
    if (failsHere && failsElsewhere) count.elsewhere++;
    counts.set(locationKey, count);
  }
  return new Map(
    [...counts].flatMap(([key, { failing, total, elsewhere }]) =>
      failing >= FAILING_CHECKS_MIN && failing > total * SHARE && elsewhere < failing * SHARE
        ? [[key, { failing, total }]]
        : [],
    ),
  );
}
