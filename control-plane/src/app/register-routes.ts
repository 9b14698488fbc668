/** The routes of the REST API, collected from the parts that own them. */
import { registerApiKeyRoutes } from "../accounts/api-keys/routes.ts";
import { registerAuditRoutes } from "../accounts/audit/routes.ts";
import { registerBillingRoutes } from "../accounts/billing/routes.ts";
import { registerChangeRoutes } from "../accounts/change-log/routes.ts";
import { registerCliLoginRoutes } from "../accounts/cli-login/routes.ts";
import { registerDisplayLinkRoutes } from "../accounts/display-links/routes.ts";
import { registerIdentityRoutes } from "../accounts/identity/routes.ts";
import { registerMetaRoutes } from "../accounts/meta/routes.ts";
import { registerPeopleRoutes } from "../accounts/people/routes.ts";
import { registerTeamRoutes } from "../accounts/teams/routes.ts";
import { alertingDependents } from "../alerting/check-dependents.ts";
import { registerAlertRoutes } from "../alerting/routes.ts";
import { registerSloRoutes } from "../alerting/slos/routes.ts";
import { registerSpecRoutes } from "../checks/api-specs/routes.ts";
import { registerConfigSchemaRoute } from "../checks/config-schema/routes.ts";
import { registerDeployBaselineRoutes } from "../checks/deploy-baselines/routes.ts";
import { registerDeployPlanRoutes } from "../checks/deploy-plans/routes.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { registerLocationRoutes } from "../checks/locations/routes.ts";
import { locationDependents } from "../checks/locations/team-dependents.ts";
import { registerMaintenanceRoutes } from "../checks/maintenance/routes.ts";
import { registerCheckRoutes } from "../checks/routes.ts";
import { registerSecretRoutes } from "../checks/team-secrets/routes.ts";
import { registerThirdPartyPatternRoutes } from "../checks/third-party-patterns/routes.ts";
import { registerConfigRoutes } from "../configs/routes.ts";
import { findDocumentation } from "../dashboard/documentation.ts";
import { registerDocumentation } from "../dashboard/documentation-routes.ts";
import { registerDashboard } from "../dashboard/routes.ts";
import { registerAgentPackageRoute } from "../gateway/agent-package/routes.ts";
import { registerTestRunRoutes } from "../gateway/test-runs/routes.ts";
import { createGenerator } from "../generation/generator.ts";
import { registerGenerationRoutes } from "../generation/routes.ts";
import { scriptWriter } from "../generation/script-route.ts";
import type { LiveHubs } from "../live/live-hubs.ts";
import { registerLiveRoutes } from "../live/routes.ts";
import { registerMcpRoutes } from "../mcp-server/routes.ts";
import { assertChannelsExist } from "../outbox/channels/assert-channels-exist.ts";
import { registerChannelRoutes } from "../outbox/channels/routes.ts";
import { registerReportRoutes } from "../overview/reports/routes.ts";
import { createOverviewParts, registerOverviewRoutes } from "../overview/routes.ts";
import type { ApiApp } from "../platform/http/api.ts";
import type { Services } from "../platform/services.ts";
import { registerAnalysisRoutes } from "../response/analysis/routes.ts";
import { registerIncidentPolicyRoutes } from "../response/incident-policy/routes.ts";
import { registerIncidentRoutes } from "../response/incidents/routes.ts";
import type { DeliveryTools } from "../response/notifications/delivery-tools.ts";
import { registerNotificationRoutes } from "../response/notifications/routes.ts";
import { registerRotaRoutes } from "../response/rotas/routes.ts";
import { registerArtifactRoutes } from "../results/artifacts/routes.ts";
import { registerCoverageRoutes } from "../results/coverage/routes.ts";
import { registerRunnerResultRoutes } from "../results/ingest/routes.ts";
import { registerPushRoutes } from "../results/pushes/routes.ts";
import { registerResultRoutes } from "../results/routes.ts";
import { registerSeriesRoutes } from "../results/series/routes.ts";
import { registerSlotRoutes } from "../results/slots/routes.ts";
import { registerStatusPageRoutes } from "../status-pages/routes.ts";
import { registerCertificateRoutes } from "../telemetry/certificates/routes.ts";
import { registerDeploymentRoutes } from "../telemetry/deployment-markers/routes.ts";
import { registerEventRoutes } from "../telemetry/feed/routes.ts";
import { registerTelemetryRoutes } from "../telemetry/routes.ts";
import { telemetryEgress } from "../telemetry/start-telemetry.ts";
import type { FleetServices } from "./fleet-services.ts";
import { teamExportSections } from "./team-export.ts";

/** The parts of the service, besides the common ones, that routes call. */
export interface RouteParts {
  fleetServices: FleetServices;
  deliveryTools: DeliveryTools;
  live: LiveHubs;
}

/** Registers the routes of every resource. They work once the database is ready; until then the server refuses requests. */
export async function registerRoutes(
  app: ApiApp,
  services: Services,
  { fleetServices, deliveryTools, live }: RouteParts,
): Promise<void> {
  const { state, ingester, fleet } = fleetServices;
  registerIdentityRoutes(app, services);
  registerDisplayLinkRoutes(app, services);
  registerPeopleRoutes(app, services);
  registerTeamRoutes(app, services, { dependents: [locationDependents], exportSections: teamExportSections });
  registerCliLoginRoutes(app, services);
  registerCheckRoutes(app, services, [alertingDependents]);
  await registerResultRoutes(app, services);
  registerArtifactRoutes(app, services);
  await registerCoverageRoutes(app, services);
  registerSlotRoutes(app, services);
  registerSeriesRoutes(app, services);
  await registerLocationRoutes(app, services, assertChannelsExist);
  await registerRunnerResultRoutes(app, { ingester, state, refreshFleet: () => fleet.refresh() });
  registerPushRoutes(app, { services, ingester });
  registerAgentPackageRoute(app, services);
  registerTestRunRoutes(app, services, { state, refreshFleet: () => fleet.refresh() });
  const generator = createGenerator(services);
  await registerSpecRoutes(app, services, {
    ...(generator && {
      writeScript: scriptWriter(services, {
        generator,
        fleet: { state, refreshFleet: () => fleet.refresh() },
      }),
    }),
  });
  registerGenerationRoutes(app, services, generator);
  registerSecretRoutes(app, services);
  registerThirdPartyPatternRoutes(app, services);
  registerAnalysisRoutes(app, services);
  registerAlertRoutes(app, services);
  registerSloRoutes(app, services);
  registerEventRoutes(app, services);
  const overviewParts = createOverviewParts();
  registerOverviewRoutes(app, services, overviewParts);
  registerReportRoutes(app, services);
  registerLiveRoutes(app, live);
  registerCertificateRoutes(app, services);
  registerDeploymentRoutes(app, services);
  registerChannelRoutes(app, services);
  registerNotificationRoutes(app, services, deliveryTools);
  registerMaintenanceRoutes(app, services);
  registerStatusPageRoutes(app, services);
  registerLabelRoutes(app, services, [alertingDependents]);
  registerDeployBaselineRoutes(app, services);
  registerDeployPlanRoutes(app, services);
  registerConfigSchemaRoute(app);
  registerConfigRoutes(app, services);
  registerMcpRoutes(app, services, overviewParts);
  registerChangeRoutes(app, services);
  registerAuditRoutes(app, services);
  registerApiKeyRoutes(app, services);
  registerBillingRoutes(app);
  registerMetaRoutes(app, services);
  registerIncidentRoutes(app, services);
  registerIncidentPolicyRoutes(app, services);
  registerRotaRoutes(app, services);
  registerTelemetryRoutes(app, services, telemetryEgress(services));
  registerDocumentation(app, { publicUrl: () => services.publicUrl(), folder: findDocumentation() });
  await registerDashboard(app, { publicUrl: () => services.publicUrl() });
}
