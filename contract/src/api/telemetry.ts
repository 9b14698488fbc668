/** Routes of a team's OpenTelemetry export. */
import { errorSchema } from "../base/error-schema.ts";
import {
  telemetrySettingsSchema,
  telemetryTestSchema,
  updateTelemetrySchema,
} from "../resources/telemetry.ts";
import { defineRoute } from "./route.ts";

const tag = "Telemetry";

/** Routes of the export of telemetry, by operation. */
export const telemetryRoutes = {
  getSettings: defineRoute({
    method: "GET",
    path: "/api/telemetry",
    access: "reads",
    tag,
    summary: "Get the settings of the OpenTelemetry export, and how it is going",
    answer: telemetrySettingsSchema,
  }),
  updateSettings: defineRoute({
    method: "PUT",
    path: "/api/telemetry",
    access: "changes",
    tag,
    summary: "Set where telemetry is exported to",
    body: updateTelemetrySchema,
    answer: telemetrySettingsSchema,
  }),
  test: defineRoute({
    method: "POST",
    path: "/api/telemetry/test",
    access: "changes",
    tag,
    summary: "Send one log record and report the endpoint's answer",
    answer: telemetryTestSchema,
    otherAnswers: { 409: errorSchema, 429: errorSchema },
  }),
};
