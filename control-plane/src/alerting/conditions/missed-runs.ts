import { defineCondition } from "./condition.ts";
import { locationNames } from "./location-names.ts";

/** Holds while the last `count` slots that were due at any one of the check's locations have no result. */
export const missedRuns = defineCondition("missed_runs", {
  isAboutFailure: false,
  recoversOn: "any_result",
  timeDriven: "between_results",
  needs: ({ count }) => ({ missedSlots: count }),
  canBegin: () => false,
  match: ({ count }, { locations, missedSlots }) => {
    const silent = locations
      .map((location) => ({ ...location, missed: missedSlots(location.locationKey) }))
      .filter(({ missed }) => missed.length >= count);
    if (silent.length === 0) return undefined;
    return {
      severity: "critical",
      threshold: count,
      observed: silent.map(({ locationId, missed }) => ({
        locationId,
        missedSlots: missed.slice(0, count).map((slotMs) => new Date(slotMs).toISOString()),
      })),
      results: [],
      summary: `the last ${count} runs are missing from ${locationNames(silent)}`,
    };
  },
});
