/** Registers the routes of a team's OpenTelemetry export. */
import { telemetryRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import type { TeamEgress } from "../platform/team-egress.ts";
import { getSettings } from "./get-settings.ts";
import { sendTest } from "./send-test.ts";
import { updateSettings } from "./update-settings.ts";

/** Registers reading, changing and testing the settings of the export. */
export function registerTelemetryRoutes(app: ApiApp, services: Services, egressOf: TeamEgress): void {
  serve(app, telemetryRoutes.getSettings, async (request) => getSettings(contextOf(services, request)));

  serve(app, telemetryRoutes.updateSettings, async (request) => {
    const ctx = contextOf(services, request);
    await updateSettings(ctx, request.body);
    return getSettings(ctx);
  });

  serve(app, telemetryRoutes.test, {
    waitsElsewhere: true,
    handler: async (request) => sendTest(contextOf(services, request), { egressOf }),
  });
}
