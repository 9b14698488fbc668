/** Client methods of deploy plans. */
import type * as z from "zod";
import type { createDeployPlanSchema, PublishedDeployPlan } from "../../config/deploy-plan.ts";
import type { deployPlanRoutes } from "../deploy-plans.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof deployPlanRoutes;

/** Returns the client methods of deploy plans. */
export const deployPlanMethods = (call: CallRoute) => ({
  /** Publishes a plan. @returns where it is to be seen */
  publishDeployPlan: async (body: z.input<typeof createDeployPlanSchema>): Promise<PublishedDeployPlan> =>
    (await call<Routes["create"]>("POST", "/api/plans", { body })).plan,
});
