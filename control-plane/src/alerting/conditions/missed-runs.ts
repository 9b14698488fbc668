import { counted } from "@svc/contract";
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
  explain: ({ count }, { locations, missedSlots }) => {
    const most = locations
      .map(({ name, locationKey }) => ({ name, missed: missedSlots(locationKey).length }))
      .sort((a, b) => b.missed - a.missed)[0];
    const missed = most?.missed ?? 0;
    return {
      threshold: count,
      observed: missed,
      missing: `${counted(count, "run")} in a row missing from one location; ${missed > 0 ? `from ${most?.name} ${missed} are` : "none is"}`,
    };
  },
  notReplayable: "a run is missing only until its result comes, and stored results do not say when they came",
});
