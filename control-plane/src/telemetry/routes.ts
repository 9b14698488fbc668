/** Registers the routes of a team's OpenTelemetry export. */
import { telemetryRoutes } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getSettings } from "./get-settings.ts";
import { sendTest } from "./send-test.ts";
import { updateSettings } from "./update-settings.ts";

export function registerTelemetryRoutes(app: ApiApp, services: Services, egress: Egress): void {
  serve(app, telemetryRoutes.getSettings, async (request) => getSettings(contextOf(services, request)));

  serve(app, telemetryRoutes.updateSettings, async (request) => {
    const ctx = contextOf(services, request);
    await updateSettings(ctx, request.body);
    return getSettings(ctx);
  });

  serve(app, telemetryRoutes.test, async (request) => sendTest(contextOf(services, request), { egress }));
}
