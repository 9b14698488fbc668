import { deployPlanRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createDeployPlan } from "./create-deploy-plan.ts";
import { getDeployPlan } from "./get-deploy-plan.ts";

/** Registers the routes of deploy plans. */
export function registerDeployPlanRoutes(app: ApiApp, services: Services): void {
  serve(app, deployPlanRoutes.create, async (request) => ({
    plan: await createDeployPlan(contextOf(services, request), request.body),
  }));

  serve(app, deployPlanRoutes.get, async (request) => ({
    plan: await getDeployPlan(contextOf(services, request), request.params),
  }));
}
