/** Loads the newest result of checks at each of their locations. */
import { groupBy, HOUR_MS, isSuccessCode, type LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { readNewestResults } from "../../alerting/inputs/result-store.ts";
import { checkLocationId } from "../../platform/check-location.ts";
import type { LocationState } from "./member-profile.ts";
import { type AlertCheckRow, readFailureDetails } from "./profile-store.ts";
import { RESULTS_PER_LOCATION, stateOfLocation } from "./state-of-location.ts";

/** The checks whose newest results are read, and the names of their locations. */
export interface LocationStatesInput {
  checks: readonly Pick<AlertCheckRow, "checkKey" | "locationKeys" | "frequencySeconds">[];
  /** Ids and names of the locations, by location key. */
  names: ReadonlyMap<number, { id: LocationId; name: string }>;
  /** Unix ms. */
  nowMs: number;
}

const LOOK_BACK_MS_MIN = HOUR_MS;

type NewestResult = Awaited<ReturnType<typeof readNewestResults>>[number];

/** Returns the states of the checks' locations, by check key. Locations without a recent result are left out. */
export async function loadLocationStates(
  trx: Knex,
  { checks, names, nowMs }: LocationStatesInput,
): Promise<Map<number, LocationState[]>> {
  const results = await readRecentResults(trx, checks, nowMs);
  const byCheckLocation = groupBy(results, checkLocationId);
  for (const ofLocation of byCheckLocation.values()) ofLocation.sort((a, b) => b.slotMs - a.slotMs);
  const newest = [...byCheckLocation.values()].flatMap((ofLocation) => ofLocation.slice(0, 1));
  const failures = newest.filter(({ status }) => !isSuccessCode(status));
  const details = new Map(
    (await readFailureDetails(trx, failures)).map((detail) => [checkLocationId(detail), detail]),
  );
  const states = newest.map((result) => {
    const id = checkLocationId(result);
    const { id: locationId, name } = names.get(result.locationKey) ?? unknownLocation(result.locationKey);
    return {
      checkKey: result.checkKey,
      state: {
        locationId,
        locationName: name,
        ...stateOfLocation(byCheckLocation.get(id) ?? [result], details.get(id)),
      },
    };
  });
  return new Map(
    [...groupBy(states, ({ checkKey }) => checkKey)].map(([key, ofCheck]) => [
      key,
      ofCheck.map(({ state }) => state),
    ]),
  );
}

function readRecentResults(
  trx: Knex,
  checks: LocationStatesInput["checks"],
  nowMs: number,
): Promise<NewestResult[]> {
  const byKey = new Map(checks.map((check) => [check.checkKey, check]));
  return readNewestResults(
    trx,
    [...byKey.values()].flatMap(({ checkKey, locationKeys, frequencySeconds }) =>
      locationKeys.map((locationKey) => ({
        checkKey,
        locationKey,
        limit: RESULTS_PER_LOCATION,
        fromMs: nowMs - Math.max(LOOK_BACK_MS_MIN, 2 * RESULTS_PER_LOCATION * frequencySeconds * 1000),
      })),
    ),
    { onlySuccesses: false, withVitals: false, nowMs },
  );
}

/** A location that was deleted between two statements. */
function unknownLocation(locationKey: number): { id: LocationId; name: string } {
  return { id: String(locationKey) as LocationId, name: String(locationKey) };
}
