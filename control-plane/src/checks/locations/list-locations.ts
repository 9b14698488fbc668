import { type Location, locationSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type LocationModel, locationFromRow } from "./row.ts";
import { listLocationRows, readLocationLives } from "./store.ts";

/**
 * Returns the list of the hosted locations and the team's own.
 * @param input.includeDeprecated true: also locations that no new check should use
 */
export function listLocations(
  { services, teamId }: TeamContext,
  { includeDeprecated }: { includeDeprecated: boolean },
): RecordList<{ row: LocationModel; location: Location }> {
  const { knex, clock } = services;
  return {
    name: "locations",
    cursorShape: ["number", "number"],
    read: async (part) => {
      const rows = await listLocationRows(knex, teamId, { ...part, includeDeprecated });
      const lives = await readLocationLives(knex, teamId, clock.nowMs());
      return rows.map((row) => ({ row, location: locationFromRow(row, lives.get(row.key)) }));
    },
    textOf: ({ location }) => JSON.stringify(z.encode(locationSchema, location)),
    cursorOf: ({ row }) => [row.teamId === null ? 0 : 1, row.key],
  };
}

/** Returns a location as the API answers it, with the health of its runners. */
export async function describeLocation(
  { services, teamId }: TeamContext,
  row: LocationModel,
): Promise<Location> {
  const lives = await readLocationLives(services.knex, teamId, services.clock.nowMs());
  return locationFromRow(row, lives.get(row.key));
}
