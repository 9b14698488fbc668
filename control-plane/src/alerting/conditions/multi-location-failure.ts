import { counted, SECOND_MS } from "@svc/contract";
import type { LocationInput } from "../inputs/condition-input.ts";
import { isSuccess } from "../inputs/judged-result.ts";
import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/**
 * Holds while the newest result of at least `minLocations` locations is a non-success of the last `windowSeconds`. The
 * window ends at the result that is judged, so that results which were held up on the way are judged as they would have
 * been in time.
 */
export const multiLocationFailure = defineCondition("multi_location_failure", {
  isAboutFailure: true,
  recoversOn: "success",
  needs: () => ({ results: 1 }),
  canBegin: (_condition, newResult) => !isSuccess(newResult),
  match: ({ minLocations, windowSeconds }, { locations, atMs }) => {
    const failing = failingWithin(locations, atMs - windowSeconds * SECOND_MS);
    if (failing.length < minLocations) return undefined;
    return {
      severity: "critical",
      threshold: { minLocations, windowSeconds },
      observed: failing.length,
      results: failing.flatMap(({ results }) => results.slice(0, 1)),
      summary: `failing from ${failing.length} locations: ${locationNames(failing)}`,
    };
  },
  explain: ({ minLocations, windowSeconds }, { locations, atMs }) => {
    const failing = failingWithin(locations, atMs - windowSeconds * SECOND_MS);
    const so = failing.length === 0 ? "none fails" : `${failing.length} do: ${locationNames(failing)}`;
    return {
      threshold: { minLocations, windowSeconds },
      observed: failing.length,
      missing: `${minLocations} of ${counted(locations.length, "location")} failing within ${windowSeconds} s; ${so}`,
    };
  },
});

/** Returns the locations whose newest result is a non-success that is newer than `afterMs`. */
function failingWithin(locations: readonly LocationInput[], afterMs: number): LocationInput[] {
  return locations.filter(({ results: [newest] }) => newest && !isSuccess(newest) && newest.slotMs > afterMs);
}
