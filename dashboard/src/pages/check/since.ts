/** Finds since when a check fails. Pure. */
import type { LoadedCheck } from "./tab-props.ts";

/**
 * Returns the start of the first failure after the last success, at the location that fails longest.
 * @param results newest first
 * @returns isLonger: true when the results do not go back to that success; undefined: no newest result of a location fails
 */
export function sinceOf(
  results: readonly Pick<LoadedCheck["results"][number], "locationId" | "status" | "startedAt">[],
): { at: string; isLonger: boolean } | undefined {
  const failing = new Map<string, { at: string; isLonger: boolean } | undefined>();
  const ended = new Set<string>();
  for (const { locationId, status, startedAt } of results) {
    if (ended.has(locationId)) continue;
    if (status !== "success") failing.set(locationId, { at: startedAt, isLonger: true });
    else {
      ended.add(locationId);
      const known = failing.get(locationId);
      if (known) failing.set(locationId, { ...known, isLonger: false });
    }
  }
  return [...failing.values()]
    .filter((one) => one !== undefined)
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .at(0);
}
