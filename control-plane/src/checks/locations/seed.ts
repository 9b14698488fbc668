import { HOSTED_LOCATIONS } from "@svc/contract";
import type { Knex } from "knex";
import { LocationModel } from "./row.ts";

/**
 * Puts the hosted locations into the database, on every start: new ones are added, names and coordinates follow this
 * version; status and successor are the operator's and stay. Harmless to repeat, and at once.
 */
export async function seedHostedLocations(db: Knex): Promise<void> {
  const rows = HOSTED_LOCATIONS.map((location) => ({
    ...location,
    region: location.name,
    type: "hosted" as const,
  }));
  await LocationModel.query(db)
    .insert(rows)
    .onConflict("id")
    .merge(["name", "displayName", "region", "latitude", "longitude"]);
}
