/** Registers the routes of what a team has as code. */
import { checkRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getCheckAsCode } from "./get-check-as-code.ts";
import { getTeamAsCode } from "./get-team-as-code.ts";

/** Registers reading a check, and all that a team has, as the files of a config. */
export function registerConfigRoutes(app: ApiApp, services: Services): void {
  serve(app, checkRoutes.getAsCode, (request) =>
    getCheckAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, checkRoutes.getTeamAsCode, (request) =>
    getTeamAsCode(contextOf(services, request), { project: request.query.project }),
  );
}
