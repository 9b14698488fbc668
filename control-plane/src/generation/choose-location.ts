/** Chooses the location where drafts are tried. */
import { invalidField, type LocationId } from "@svc/contract";
import { findLocationRow, listLocationRows } from "../checks/locations/store.ts";
import { type ConnectedRunners, findRunner } from "../gateway/test-runs/find-runner.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { SCRIPTED_TYPE } from "./try-script.ts";

/** Most locations that are looked at. */
const LOCATIONS_MAX = 200;
const ALL = { after: undefined, rowsMax: LOCATIONS_MAX, offset: 0, includeDeprecated: false };

/**
 * Returns the location that the request names, or the first with a runner that can try a draft; or why there is none.
 * @throws DomainError `invalid` when the team has no such location
 */
export async function chooseLocation(
  { services, teamId }: TeamContext,
  state: ConnectedRunners,
  locationId: LocationId | undefined,
): Promise<{ locationId: LocationId } | { problem: string }> {
  if (locationId !== undefined) {
    const named = await findLocationRow(services.knex, teamId, locationId);
    if (!named) throw invalidField("locationId", "there is no such location; GET /api/locations lists them");
    return { locationId };
  }
  const rows = await listLocationRows(services.knex, teamId, ALL);
  let problem = "No runner is connected.";
  for (const { key, id } of rows) {
    const wanted = {
      teamId,
      type: SCRIPTED_TYPE,
      usesVault: false,
      isLimited: true,
      locationKey: key,
      checkKey: 0,
    };
    const found = findRunner(state, wanted);
    if ("runnerKey" in found) return { locationId: id };
    problem = `No location has a runner that can try it; at ${id}: ${found.problem}`;
  }
  return { problem };
}
