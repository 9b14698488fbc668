import { SECOND_MS } from "@svc/contract";
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
    const failing = locations.filter(({ results: [newest] }) => {
      return newest && !isSuccess(newest) && newest.slotMs > atMs - windowSeconds * SECOND_MS;
    });
    if (failing.length < minLocations) return undefined;
    return {
      severity: "critical",
      threshold: { minLocations, windowSeconds },
      observed: failing.length,
      results: failing.flatMap(({ results }) => results.slice(0, 1)),
      summary: `failing from ${failing.length} locations: ${locationNames(failing)}`,
    };
  },
});
