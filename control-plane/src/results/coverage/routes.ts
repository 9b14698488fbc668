/** Registers the route of coverage. */
import { resultRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getCoverage } from "./get-coverage.ts";

/** Registers reading the coverage of a check. */
export function registerCoverageRoutes(app: ApiApp, services: Services): void {
  serve(app, resultRoutes.getCoverage, async (request) =>
    getCoverage(contextOf(services, request), { checkId: request.params.id, range: request.query.range }),
  );
}
