/** Loads the newest result of checks at each of their locations. */
import { groupBy, HOUR_MS, isSuccessCode, type LocationId, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import { readNewestResults } from "../../alerting/inputs/result-store.ts";
import { checkLocationId } from "../../platform/check-location.ts";
import type { LocationState } from "./member-profile.ts";
import { type AlertCheckRow, type FailureDetail, readFailureDetails } from "./profile-store.ts";

/** The checks whose newest results are read, and the names of their locations. */
export interface LocationStatesInput {
  checks: readonly Pick<AlertCheckRow, "checkKey" | "locationKeys" | "frequencySeconds">[];
  /** Ids and names of the locations, by location key. */
  names: ReadonlyMap<number, { id: LocationId; name: string }>;
  /** Unix ms. */
  nowMs: number;
}

/** Newest results of a location that are read, to find out since when it fails. */
const RESULTS_PER_LOCATION = 4;
const LOOK_BACK_MS_MIN = HOUR_MS;

/** Error categories of failures whose stored detail names none. */
const CATEGORY_OF_STATUS: Record<number, string | undefined> = {
  [STATUS_CODES.failure]: "assertion",
  [STATUS_CODES.timeout]: "timeout",
};

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
        ...stateOf(byCheckLocation.get(id) ?? [result], details.get(id)),
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
    { onlySuccesses: false, withVitals: false },
  );
}

/** @param results of one location, newest first */
function stateOf(
  results: readonly NewestResult[],
  detail: FailureDetail | undefined,
): Omit<LocationState, "locationId" | "locationName"> {
  const { status, slotMs, httpStatusCode } = results[0] as NewestResult;
  const isFailing = !isSuccessCode(status);
  const firstSuccess = results.findIndex((result) => isSuccessCode(result.status));
  const failures = firstSuccess < 0 ? results : results.slice(0, firstSuccess);
  return {
    isFailing,
    slotMs,
    failingSinceMs: failures.at(-1)?.slotMs ?? null,
    errorCategory: detail?.errorCategory ?? (isFailing ? CATEGORY_OF_STATUS[status] : null) ?? null,
    errorMessage: detail?.errorMessage ?? null,
    httpStatusCode: isFailing ? httpStatusCode : null,
  };
}

/** A location that was deleted between two statements. */
function unknownLocation(locationKey: number): { id: LocationId; name: string } {
  return { id: String(locationKey) as LocationId, name: String(locationKey) };
}
