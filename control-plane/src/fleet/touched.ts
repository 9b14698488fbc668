/** Check locations that changed, arranged once for all streams of a replica. Pure. */
import type { CheckLocation } from "../platform/check-location.ts";
import type { FleetState } from "./fleet-state.ts";

/** The changed checks at one location. Entry i of each list belongs to one check location. */
interface TouchedAt {
  checkKeys: number[];
  /** Key of the runner that owns the check location now; undefined: none does. */
  ownerKeys: (number | undefined)[];
}

/** Changed check locations by their location's key. */
export type Touched = ReadonlyMap<number, TouchedAt>;

/** Arranges check locations by location and looks up their owners, so that this is not done anew for each stream. */
export function arrangeTouched(
  state: Pick<FleetState, "ownerKey">,
  checkLocations: readonly CheckLocation[],
): Touched {
  const touched = new Map<number, TouchedAt>();
  for (const checkLocation of checkLocations) {
    const { checkKey, locationKey } = checkLocation;
    let at = touched.get(locationKey);
    if (at === undefined) {
      at = { checkKeys: [], ownerKeys: [] };
      touched.set(locationKey, at);
    }
    at.checkKeys.push(checkKey);
    at.ownerKeys.push(state.ownerKey(checkLocation));
  }
  return touched;
}
