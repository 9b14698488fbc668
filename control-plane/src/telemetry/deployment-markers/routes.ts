/** Registers the routes of deployment markers. */
import { deploymentRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createDeployment } from "./create-deployment.ts";
import { listDeployments } from "./list-deployments.ts";

/** Registers reporting and listing deployments. */
export function registerDeploymentRoutes(app: ApiApp, services: Services): void {
  serve(app, deploymentRoutes.create, async (request) => ({
    deployment: await createDeployment(contextOf(services, request), request.body),
  }));

  serve(app, deploymentRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listDeployments(context, request.query));
  });
}
