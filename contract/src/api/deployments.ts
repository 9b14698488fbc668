/** Routes of deployment markers. */

import * as z from "zod";
import { nextCursorField } from "../base/list-page.ts";
import { createDeploymentSchema, deploymentSchema, deploymentsQuerySchema } from "../resources/deployment.ts";
import { defineRoute } from "./route.ts";

const tag = "Deployments";

/** Routes of deployments, by operation. */
export const deploymentRoutes = {
  create: defineRoute({
    method: "POST",
    path: "/api/events/deployments",
    access: "changes",
    tag,
    summary: "Record a deployment",
    body: createDeploymentSchema,
    status: 201,
    answer: z.object({ deployment: deploymentSchema }),
  }),
  list: defineRoute({
    method: "GET",
    path: "/api/deployments",
    access: "reads",
    tag,
    summary: "List the team's deployments, newest first",
    query: deploymentsQuerySchema,
    answer: z.object({
      deployments: z.array(deploymentSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
};
