import { deployBaselineRoutes, notFound } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { putBaseline } from "./put-baseline.ts";
import { deleteBaseline, listBaselines } from "./store.ts";

/** Largest body: 50,000 resources of about 250 bytes each. */
const BASELINE_BYTES_MAX = 16 * 1024 * 1024;

/** Registers the routes of deploy baselines. */
export function registerDeployBaselineRoutes(app: ApiApp, services: Services): void {
  serve(app, deployBaselineRoutes.list, async ({ caller }) => ({
    baselines: await listBaselines(services.knex, caller.teamId),
  }));

  serve(app, deployBaselineRoutes.put, {
    bodyLimit: BASELINE_BYTES_MAX,
    handler: async (request) => {
      const { project } = request.params;
      const { resources } = request.body;
      return { baseline: await putBaseline(contextOf(services, request), { project, resources }) };
    },
  });

  serve(app, deployBaselineRoutes.delete, async ({ caller, params }) => {
    if (!(await deleteBaseline(services.knex, caller.teamId, params.project)))
      throw notFound("Deploy baseline");
    return { success: true as const };
  });
}
