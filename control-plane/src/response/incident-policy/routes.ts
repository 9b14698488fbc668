/** Registers the routes of the incident policy. */
import { incidentRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getIncidentPolicy } from "./get-policy.ts";
import { setIncidentPolicy } from "./set-policy.ts";

/** Registers reading, setting and removing the team's incident policy. */
export function registerIncidentPolicyRoutes(app: ApiApp, services: Services): void {
  serve(app, incidentRoutes.getPolicy, async (request) => ({
    incidentPolicy: await getIncidentPolicy(contextOf(services, request)),
  }));

  serve(app, incidentRoutes.setPolicy, async (request) => ({
    incidentPolicy: await setIncidentPolicy(contextOf(services, request), request.body),
  }));

  serve(app, incidentRoutes.deletePolicy, async (request) => {
    await setIncidentPolicy(contextOf(services, request), { steps: [] });
    return { success: true as const };
  });
}
