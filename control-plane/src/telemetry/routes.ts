/** Routes of a team's OpenTelemetry export. */
import {
  errorSchema,
  telemetrySettingsSchema,
  telemetryTestSchema,
  updateTelemetrySchema,
} from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { ApiApp } from "../platform/http/api.ts";
import { authorOf } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getSettings } from "./get-settings.ts";
import { sendTest } from "./send-test.ts";
import { updateSettings } from "./update-settings.ts";

const tags = ["Telemetry"];
const PATH = "/api/telemetry";

export function registerTelemetryRoutes(app: ApiApp, services: Services, egress: Egress): void {
  app.get(
    PATH,
    {
      schema: {
        tags,
        summary: "Get the settings of the OpenTelemetry export, and how it is going",
        response: { 200: telemetrySettingsSchema },
      },
    },
    async ({ caller }) => getSettings(services, caller.teamId),
  );

  app.put(
    PATH,
    {
      schema: {
        tags,
        summary: "Set where telemetry is exported to",
        body: updateTelemetrySchema,
        response: { 200: telemetrySettingsSchema },
      },
    },
    async (request) => {
      const { caller, body } = request;
      await updateSettings(services, caller.teamId, body, authorOf(request));
      return getSettings(services, caller.teamId);
    },
  );

  app.post(
    `${PATH}/test`,
    {
      schema: {
        tags,
        summary: "Send one log record and report the endpoint's answer",
        response: { 200: telemetryTestSchema, 409: errorSchema, 429: errorSchema },
      },
    },
    async ({ caller }) => sendTest(services, egress, caller.teamId),
  );
}
