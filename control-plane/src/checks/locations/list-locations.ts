import type { Location } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { type LocationModel, locationFromRow } from "./row.ts";
import { listLocationRows, readLocationLives } from "./store.ts";

/**
 * Returns the hosted locations and the team's own.
 * @param input.includeDeprecated true: also locations that no new check should use
 */
export async function listLocations(
  { services, teamId }: TeamContext,
  { includeDeprecated }: { includeDeprecated: boolean },
): Promise<Location[]> {
  const { knex, clock } = services;
  const rows = await listLocationRows(knex, teamId);
  const lives = await readLocationLives(knex, teamId, clock.nowMs());
  return rows
    .filter((row) => includeDeprecated || row.status === "active")
    .map((row) => locationFromRow(row, lives.get(row.key)));
}

/** Returns a location as the API answers it, with the health of its runners. */
export async function describeLocation(
  { services, teamId }: TeamContext,
  row: LocationModel,
): Promise<Location> {
  const lives = await readLocationLives(services.knex, teamId, services.clock.nowMs());
  return locationFromRow(row, lives.get(row.key));
}
