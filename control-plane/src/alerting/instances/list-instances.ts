import type { AlertInstanceSummary, AlertInstancesQuery } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { summaryFromRow } from "./row.ts";
import { listInstanceRows } from "./store.ts";

/** Returns a page of the team's instances, newest first. */
export async function listInstances(
  { services, teamId }: TeamContext,
  query: AlertInstancesQuery,
): Promise<AlertInstanceSummary[]> {
  return (await listInstanceRows(services.knex, teamId, query)).map(summaryFromRow);
}
