import type { Runner, TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { getPrivateLocation } from "./get-location.ts";
import { runnerFromRow } from "./row.ts";
import { listRunnerRows } from "./store.ts";

/** The runners of a private location, those heard of last first. @throws DomainError not_found, forbidden */
export async function listRunners({ knex }: Services, teamId: TeamId, locationId: string): Promise<Runner[]> {
  const location = await getPrivateLocation(knex, teamId, locationId);
  return (await listRunnerRows(knex, location.key)).map(runnerFromRow);
}
