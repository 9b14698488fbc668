import { pushedTraitsOf, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { locationRowsForUse, pushLocationRow } from "./locations/store.ts";
import { usableLocations } from "./usable-locations.ts";

/** The locations that a check of a team names. */
export interface NamedLocations {
  teamId: TeamId;
  type: string;
  /** Ids as the caller wrote them; for a pushed check the contract has looked at them. */
  ids: readonly string[];
  /** Ids that the check has now. */
  alreadyUsed?: readonly string[];
}

/**
 * Returns the keys of the locations that a check names, in its order.
 * @throws DomainError `invalid`, naming under `locations` every id that can't be used
 */
export async function locationKeysForUse(
  trx: Knex,
  { teamId, type, ids, alreadyUsed = [] }: NamedLocations,
): Promise<number[]> {
  if (pushedTraitsOf(type)) return [(await pushLocationRow(trx)).key];
  const known = await locationRowsForUse(trx, teamId, ids);
  return usableLocations(ids, known, alreadyUsed).map((location) => location.key);
}
