/** A monitor in svc.config.yaml: a check with the fields of its type beside the common ones. Nothing has a default here: what is
 *  left out is inherited. */
import * as z from "zod";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { browserConfigSchema } from "../checks/browser.ts";
import { httpConfigSchema } from "../checks/http.ts";
import { mcpConfigSchema } from "../checks/mcp.ts";
import { retrySchema } from "../checks/retry.ts";
import { checkLocationsSchema, checkNameSchema } from "../resources/check.ts";
import { setLabelsSchema } from "../resources/labels.ts";
import { configAlertsSchema } from "./alert.ts";
import { configFrequencySchema } from "./fields.ts";

/** What cascades: monitor over group over defaults. */
export const cascadingFields = {
  frequency: configFrequencySchema.optional(),
  locations: checkLocationsSchema.optional(),
  alerts: configAlertsSchema.optional(),
};

const commonFields = {
  name: checkNameSchema,
  ...cascadingFields,
  labels: setLabelsSchema.shape.labels
    .optional()
    .describe("The full set; an empty list clears it; left out, the labels stay as they are."),
  enabled: z.boolean().optional(),
  retry: retrySchema.nullable().optional(),
  renamedFrom: checkNameSchema
    .optional()
    .describe("The name it was deployed under before: the check and its history are kept."),
};

const { browserMode: _browserMode, script: _script, ...browserFields } = browserConfigSchema.options[0].shape;

const browserHints = {
  url: "a browser monitor is deployed from a script; those of a single URL are made in the dashboard or by the API",
};

export const httpMonitorSchema = closedObject({
  ...commonFields,
  type: z.literal("http"),
  ...withoutDefaults(httpConfigSchema.shape),
});
export const browserMonitorSchema = closedObject(
  {
    ...commonFields,
    type: z.literal("browser"),
    script: z
      .string()
      .min(1, "the path of the script file")
      .describe("Path of the script file, relative to this file."),
    ...withoutDefaults(browserFields),
  },
  browserHints,
);
export const mcpMonitorSchema = closedObject({
  ...commonFields,
  type: z.literal("mcp"),
  ...withoutDefaults(mcpConfigSchema.shape),
});

export const configMonitorSchema = z.discriminatedUnion("type", [
  httpMonitorSchema,
  browserMonitorSchema,
  mcpMonitorSchema,
]);
export type ConfigMonitor = z.infer<typeof configMonitorSchema>;

export const configGroupSchema = closedObject({
  name: checkNameSchema,
  ...cascadingFields,
  monitors: z.array(configMonitorSchema),
});
export type ConfigGroup = z.infer<typeof configGroupSchema>;

const { timeoutMs, followRedirects, maxRedirects, assertions } = withoutDefaults(httpConfigSchema.shape);
const { viewport, screenshotMode, videoEnabled, device, ...browserRest } = withoutDefaults(browserFields);

export const configDefaultsSchema = closedObject({
  ...cascadingFields,
  http: closedObject({ timeoutMs, followRedirects, maxRedirects, assertions }).optional(),
  browser: closedObject({
    timeoutMs: browserRest.timeoutMs,
    viewport,
    screenshotMode,
    videoEnabled,
    device,
  }).optional(),
});
export type ConfigDefaults = z.infer<typeof configDefaultsSchema>;
