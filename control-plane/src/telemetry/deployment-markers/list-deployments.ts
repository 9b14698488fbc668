import { type DeploymentsQuery, deploymentSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type DeploymentRow, readDeployments } from "./store.ts";

/** Returns the list of the team's deployments, newest first. */
export function listDeployments(
  { services, teamId }: TeamContext,
  { service }: Pick<DeploymentsQuery, "service">,
): RecordList<DeploymentRow> {
  return {
    name: "deployments",
    cursorShape: ["instant", "number"],
    read: (part) => readDeployments(services.knex, teamId, { service, ...part }),
    textOf: ({ key: _, ...deployment }) => JSON.stringify(z.encode(deploymentSchema, deployment)),
    cursorOf: ({ createdAt, key }) => [createdAt, key],
  };
}
