/** Input source: baselines of the hours of the week that the loaded results lie in. */
import { type BaselineMetric, hourOfWeek } from "@svc/contract";
import type { Baseline } from "../baselines/fold.ts";
import { baselineId, readBaselines } from "../baselines/store.ts";
import type { CheckInNeed, InputSource } from "./input-source.ts";

/** Returns the baseline of a metric at a location for the hour of the slot; undefined: too few samples. */
export type BaselineLookup = (
  metric: BaselineMetric,
  locationKey: number,
  slotMs: number,
) => Baseline | undefined;

/** Loads the baselines of the checks in question, for the hours of the week that their results fall in. */
export const baseline: InputSource<readonly BaselineMetric[], BaselineLookup> = {
  combine: (needs) => [...new Set(needs.flat())],
  none: () => undefined,
  load: async (trx, checks) => {
    const baselines = await readBaselines(trx, checks.flatMap(baselineKeysOf));
    return new Map(
      checks.map(({ check }) => [
        check.key,
        (metric: BaselineMetric, locationKey: number, slotMs: number) =>
          baselines.get(baselineId({ checkKey: check.key, locationKey, metric, hour: hourOfWeek(slotMs) })),
      ]),
    );
  },
};

function baselineKeysOf({ check, need, resultsAt }: CheckInNeed<readonly BaselineMetric[]>) {
  return need.flatMap((metric) =>
    check.locationKeys.flatMap((locationKey) => {
      const hours = new Set(resultsAt(locationKey).map(({ slotMs }) => hourOfWeek(slotMs)));
      return [...hours].map((hour) => ({ checkKey: check.key, locationKey, metric, hour }));
    }),
  );
}
