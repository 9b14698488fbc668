import type { Deployment, DeploymentsQuery } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { readDeployments } from "./store.ts";

/** Returns a page of the team's deployments, newest first. */
export function listDeployments(
  { services, teamId }: TeamContext,
  query: DeploymentsQuery,
): Promise<Deployment[]> {
  return readDeployments(services.knex, teamId, query);
}
