import { type Deployment, deploymentRoutes } from "@svc/contract";
import * as z from "zod";
import { listDeployments as listDeploymentsOf } from "../../telemetry/deployment-markers/list-deployments.ts";
import { readPage } from "../answers/page.ts";
import { untrusted } from "../answers/untrusted.ts";
import { pageInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists the team's releases. */
export const listDeployments = defineTool({
  type: "list_deployments",
  title: "List deployments",
  description: "Lists the releases of the team's own services that were reported, newest first.",
  routes: [deploymentRoutes.list],
  input: z.strictObject({
    service: z.string().max(255).optional().describe("Only those of this service, by its exact name."),
    ...pageInput,
  }),
  async run({ ctx }, { service, limit, next }) {
    const page = await readPage({
      list: listDeploymentsOf(ctx, { service }),
      limit,
      next,
      view: ({ teamId: _, commitMessage, ...deployment }: Deployment) => ({
        ...deployment,
        ...untrusted({ commitMessage }),
      }),
    });
    return {
      summary: `${page.records.length} deployments, newest first.`,
      deployments: page.records,
      next: page.next,
    };
  },
});
