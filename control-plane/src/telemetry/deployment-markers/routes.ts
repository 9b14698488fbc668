/** Routes of deployment markers. */
import { createDeploymentSchema, deploymentSchema, deploymentsQuerySchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { createDeployment } from "./create-deployment.ts";
import { listDeploymentRows } from "./store.ts";

const tags = ["Deployments"];

export function registerDeploymentRoutes(app: ApiApp, services: Services): void {
  app.post(
    "/api/events/deployments",
    {
      schema: {
        tags,
        summary: "Record a deployment",
        body: createDeploymentSchema,
        response: { 201: z.object({ deployment: deploymentSchema }) },
      },
    },
    async ({ caller, body }, reply) =>
      reply.code(201).send({ deployment: await createDeployment(services, caller.teamId, body) }),
  );

  app.get(
    "/api/deployments",
    {
      schema: {
        tags,
        summary: "List the team's deployments, newest first",
        querystring: deploymentsQuerySchema,
        response: {
          200: z.object({
            deployments: z.array(deploymentSchema),
            limit: z.number(),
            offset: z.number(),
          }),
        },
      },
    },
    async ({ caller, query }) => ({
      deployments: await listDeploymentRows(services.knex, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );
}
