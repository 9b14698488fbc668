/** Every route of the service, for what looks at all of them: the access table of the documentation, and the tests of it. */

import { pages } from "../base/pages.ts";
import type { Access } from "./access.ts";
import { alertInstanceRoutes } from "./alert-instances.ts";
import { alertPolicyRoutes } from "./alert-policies.ts";
import { alertRuleRoutes } from "./alert-rules.ts";
import { analysisRoutes } from "./analysis.ts";
import { annotationRoutes } from "./annotations.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { billingRoutes } from "./billing.ts";
import { capacityRoutes } from "./capacity.ts";
import { certificateRoutes } from "./certificates.ts";
import { changeRoutes } from "./changes.ts";
import { channelRoutes } from "./channels.ts";
import { checkRoutes } from "./checks.ts";
import { deployBaselineRoutes } from "./deploy-baselines.ts";
import { deployPlanRoutes } from "./deploy-plans.ts";
import { deploymentRoutes } from "./deployments.ts";
import { deviceCodeRoutes } from "./device-codes.ts";
import { displayLinkRoutes } from "./display-links.ts";
import { eventRoutes } from "./events.ts";
import { generationRoutes } from "./generation.ts";
import { incidentRoutes } from "./incidents.ts";
import { labelRoutes } from "./labels.ts";
import { liveRoutes } from "./live.ts";
import { locationRoutes } from "./locations.ts";
import { maintenanceWindowRoutes } from "./maintenance-windows.ts";
import { mcpRoutes } from "./mcp.ts";
import { metaRoutes } from "./meta.ts";
import { notificationRoutes } from "./notifications.ts";
import { overviewRoutes } from "./overview.ts";
import { pushRoutes } from "./pushes.ts";
import { reportRoutes } from "./reports.ts";
import { resultRoutes } from "./results.ts";
import { rotaRoutes } from "./rotas.ts";
import type { RouteDefinition } from "./route.ts";
import { runnerResultRoutes } from "./runner-results.ts";
import { secretRoutes } from "./secrets.ts";
import { sloRoutes } from "./slos.ts";
import { specRoutes } from "./specs.ts";
import { statusPageRoutes } from "./status-pages.ts";
import { teamRoutes } from "./team.ts";
import { telemetryRoutes } from "./telemetry.ts";
import { testRunRoutes } from "./test-runs.ts";
import { thirdPartyPatternRoutes } from "./third-party-patterns.ts";

/** Every route of the REST API, by resource. */
export const API_ROUTES: readonly RouteDefinition[] = [
  authRoutes,
  teamRoutes,
  apiKeyRoutes,
  displayLinkRoutes,
  deviceCodeRoutes,
  overviewRoutes,
  checkRoutes,
  testRunRoutes,
  resultRoutes,
  labelRoutes,
  alertRuleRoutes,
  alertPolicyRoutes,
  alertInstanceRoutes,
  analysisRoutes,
  incidentRoutes,
  rotaRoutes,
  annotationRoutes,
  channelRoutes,
  notificationRoutes,
  maintenanceWindowRoutes,
  statusPageRoutes,
  sloRoutes,
  thirdPartyPatternRoutes,
  reportRoutes,
  specRoutes,
  locationRoutes,
  capacityRoutes,
  certificateRoutes,
  secretRoutes,
  deployBaselineRoutes,
  deployPlanRoutes,
  generationRoutes,
  deploymentRoutes,
  eventRoutes,
  liveRoutes,
  changeRoutes,
  auditRoutes,
  telemetryRoutes,
  billingRoutes,
  metaRoutes,
  mcpRoutes,
  runnerResultRoutes,
  pushRoutes,
].flatMap((routes): RouteDefinition[] => Object.values(routes));

/** A route without a definition: a page for browsers, a document, or a route by which machines see whether the service lives. */
export interface OtherRoute extends Pick<RouteDefinition, "method" | "path"> {
  readonly access: Extract<Access, "public">;
}

/**
 * Every route without a definition. Each is public; those of the identity provider exist where one is configured, and the
 * dashboard's files where it was built.
 */
export const OTHER_ROUTES: readonly OtherRoute[] = [
  ...new Set(["/", ...Object.values(pages).map(({ path }) => path)]),
  "/assets/*",
  "/auth/link",
  "/auth/invitation",
  "/acknowledge",
  "/status-subscriptions/confirm",
  "/status-subscriptions/unsubscribe",
  "/api/auth/oidc/start",
  "/api/auth/oidc/callback",
  "/cli/authorize",
  "/docs/*",
  "/llms.txt",
  "/api/openapi.json",
  "/svc.config.schema.json",
  "/healthz",
  "/readyz",
  "/metrics",
].map((path) => ({ method: "GET", path, access: "public" }));
