import { type Location, locationSchema, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type LocationModel, type LocationState, locationFromRow } from "./row.ts";
import { listLocationRows, readLocationLives, readLocationOutages } from "./store.ts";

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
      const stateOf = await readStates(knex, teamId, clock.nowMs());
      return rows.map((row) => ({ row, location: locationFromRow(row, stateOf(row)) }));
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
  const stateOf = await readStates(services.knex, teamId, services.clock.nowMs());
  return locationFromRow(row, stateOf(row));
}

/** Reads how the team's locations stand at an instant, Unix ms, and returns the state of any of them. */
async function readStates(
  db: Knex,
  teamId: TeamId,
  nowMs: number,
): Promise<(row: LocationModel) => LocationState> {
  const lives = await readLocationLives(db, teamId, nowMs);
  const outages = await readLocationOutages(db, teamId);
  return ({ key }) => ({ life: lives.get(key), outage: outages.get(key) });
}
