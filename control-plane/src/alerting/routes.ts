/** Registers the routes of alerts: instances, rules, policies. */
import type { ApiApp } from "../platform/http/api.ts";
import type { Services } from "../platform/services.ts";
import { registerInstanceRoutes } from "./instances/routes.ts";
import { registerPolicyRoutes } from "./policies/routes.ts";
import { registerRuleRoutes } from "./rules/routes.ts";

/** Registers the routes of alert instances, alert rules and alert policies. */
export function registerAlertRoutes(app: ApiApp, services: Services): void {
  registerInstanceRoutes(app, services);
  registerRuleRoutes(app, services);
  registerPolicyRoutes(app, services);
}
