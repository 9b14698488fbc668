import type { LocationId, Runner } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { getPrivateLocation } from "./get-location.ts";
import { runnerFromRow } from "./row.ts";
import { listRunnerRows } from "./store.ts";

/**
 * Returns the runners of a private location, those heard of last first.
 * @throws DomainError `not_found`, `forbidden` for a hosted location
 */
export async function listRunners(
  { services, teamId }: TeamContext,
  { id }: { id: LocationId },
): Promise<Runner[]> {
  const location = await getPrivateLocation(services.knex, teamId, id);
  return (await listRunnerRows(services.knex, location.key)).map(runnerFromRow);
}
