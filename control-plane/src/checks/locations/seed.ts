import { HOSTED_LOCATIONS, type LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { LocationModel } from "./row.ts";

/**
 * Writes the hosted locations into the database, at every start: new ones are added, names and coordinates follow this
 * version; status and successor are the operator's and stay. Safe to repeat and to call from several replicas at once.
 */
export async function seedHostedLocations(db: Knex): Promise<void> {
  const rows = HOSTED_LOCATIONS.map((location) => ({
    ...location,
    id: location.id as LocationId,
    region: location.name,
    type: "hosted" as const,
  }));
  await LocationModel.query(db)
    .insert(rows)
    .onConflict("id")
    .merge(["name", "displayName", "region", "latitude", "longitude"]);
}
