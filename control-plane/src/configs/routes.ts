/** Registers the routes of what a team has as code. */
import {
  alertPolicyRoutes,
  alertRuleRoutes,
  channelRoutes,
  checkRoutes,
  maintenanceWindowRoutes,
  rotaRoutes,
  sloRoutes,
  statusPageRoutes,
} from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getChannelAsCode } from "./get-channel-as-code.ts";
import { getCheckAsCode } from "./get-check-as-code.ts";
import { getPolicyAsCode } from "./get-policy-as-code.ts";
import { getRotaAsCode } from "./get-rota-as-code.ts";
import { getRuleAsCode } from "./get-rule-as-code.ts";
import { getSloAsCode } from "./get-slo-as-code.ts";
import { getStatusPageAsCode } from "./get-status-page-as-code.ts";
import { getTeamAsCode } from "./get-team-as-code.ts";
import { getWindowAsCode } from "./get-window-as-code.ts";

/** Registers reading records of each kind, and all that a team has, as the files of a config. */
export function registerConfigRoutes(app: ApiApp, services: Services): void {
  serve(app, checkRoutes.getAsCode, (request) =>
    getCheckAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, checkRoutes.getTeamAsCode, (request) =>
    getTeamAsCode(contextOf(services, request), request.query),
  );

  serve(app, sloRoutes.getAsCode, (request) =>
    getSloAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, channelRoutes.getAsCode, (request) =>
    getChannelAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, maintenanceWindowRoutes.getAsCode, (request) =>
    getWindowAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, alertPolicyRoutes.getAsCode, (request) =>
    getPolicyAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, alertRuleRoutes.getAsCode, (request) =>
    getRuleAsCode(contextOf(services, request), { id: request.params.alertId }),
  );

  serve(app, rotaRoutes.getAsCode, (request) =>
    getRotaAsCode(contextOf(services, request), { id: request.params.id }),
  );

  serve(app, statusPageRoutes.getAsCode, (request) =>
    getStatusPageAsCode(contextOf(services, request), { id: request.params.id }),
  );
}
