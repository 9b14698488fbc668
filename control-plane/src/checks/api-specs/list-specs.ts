import type { Spec } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { specFromRow } from "./row.ts";
import { listSpecRows } from "./store.ts";

/** Returns the team's specs, newest first. */
export async function listSpecs({ services, teamId }: TeamContext): Promise<Spec[]> {
  return (await listSpecRows(services.knex, teamId)).map(specFromRow);
}
