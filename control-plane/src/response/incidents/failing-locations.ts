/** Whether a location fails as a whole, by a sample of the checks that run there. Pure. */
import type { SampledPlace } from "./fact-store.ts";

/** Fewer failing checks than this may be a coincidence. */
const FAILING_MIN = 3;
const SHARE = 0.5;

/**
 * A location fails when at least three of its checks, and more than half of those that reported, fail there, and of these
 * fewer than half fail elsewhere, too.
 * @returns by location key
 */
export function findFailingLocations(
  sampled: readonly SampledPlace[],
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
      failing >= FAILING_MIN && failing > total * SHARE && elsewhere < failing * SHARE
        ? [[key, { failing, total }]]
        : [],
    ),
  );
}
