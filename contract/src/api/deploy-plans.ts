/** Routes of deploy plans. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import {
  createDeployPlanSchema,
  DEPLOY_PLAN_LIMITS,
  deployPlanSchema,
  publishedDeployPlanSchema,
} from "../config/deploy-plan.ts";
import { defineRoute } from "./route.ts";

const tag = "Deploys";

/** Routes of deploy plans, by operation. */
export const deployPlanRoutes = {
  create: defineRoute({
    method: "POST",
    path: "/api/plans",
    access: "changes",
    tag,
    summary: "Publish what a deploy would change, to be looked at by a link",
    description: `\`svc diff --publish\` does this. A plan is kept for ${DEPLOY_PLAN_LIMITS.keptDays} days, and the newest ${DEPLOY_PLAN_LIMITS.keptMax} of a team. Nothing is changed.`,
    body: createDeployPlanSchema,
    status: 201,
    answer: z.object({ plan: publishedDeployPlanSchema }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/plans/:id",
    access: "reads",
    tag,
    summary: "Get a published plan",
    params: z.object({ id: idSchema("deployPlan") }),
    answer: z.object({ plan: deployPlanSchema }),
  }),
};
