import { defineCondition, placeNames } from "./condition.ts";

/** The last `count` slots that were due at a location have no result, for any one of the check's locations. */
export const missedRuns = defineCondition("missed_runs", {
  isAboutFailure: false,
  recoversOn: "any_result",
  beginsWithTime: "looked_at",
  needs: ({ count }) => ({ missedSlots: count }),
  mayBegin: () => false,
  holds: ({ count }, { locations }) => {
    const silent = locations.filter(({ missedSlotsMs }) => missedSlotsMs.length >= count);
    if (silent.length === 0) return undefined;
    return {
      severity: "critical",
      threshold: count,
      observed: silent.map(({ locationId, missedSlotsMs }) => ({
        locationId,
        missedSlots: missedSlotsMs.slice(0, count).map((slotMs) => new Date(slotMs).toISOString()),
      })),
      results: [],
      summary: `the last ${count} runs are missing from ${placeNames(silent)}`,
    };
  },
});
