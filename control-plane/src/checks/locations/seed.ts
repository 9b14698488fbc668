import { HOSTED_LOCATIONS, type LocationId, PUSH_LOCATION_ID } from "@svc/contract";
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
  await seedPushLocation(db);
}

/** Retention forgets deleted locations by their age; this one has none. */
const NEVER_FORGOTTEN = new Date(Date.UTC(9999, 11, 31));

/**
 * Writes the location of pushed checks. It counts as deleted, so that results can name it while nobody sees it, runs
 * anything there or has a runner for it.
 */
async function seedPushLocation(db: Knex): Promise<void> {
  await db("locations")
    .insert({
      id: PUSH_LOCATION_ID,
      name: "push",
      displayName: "Reports",
      region: "push",
      type: "hosted",
      deletedAt: NEVER_FORGOTTEN,
    })
    .onConflict("id")
    .ignore();
}
