import type { LocationId, RunnerKey } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { getPrivateLocation } from "./get-location.ts";
import { runnerKeyFromRow } from "./row.ts";
import { listRunnerKeyRows } from "./store.ts";

/**
 * Returns the runner keys of a private location, oldest first, without secrets.
 * @throws DomainError `not_found`, `forbidden` for a hosted location
 */
export async function listRunnerKeys(
  { services, teamId }: TeamContext,
  { id }: { id: LocationId },
): Promise<RunnerKey[]> {
  const location = await getPrivateLocation(services.knex, teamId, id);
  return (await listRunnerKeyRows(services.knex, location.key)).map(runnerKeyFromRow);
}
