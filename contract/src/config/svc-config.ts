/** svc.config.yaml: the resources that a team describes as code. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { channelNameSchema } from "../resources/channel.ts";
import { configAlertPolicySchema } from "./alert-policy.ts";
import { configChannelSchema } from "./channel.ts";
import { configIncidentPolicySchema } from "./incident-policy.ts";
import { configMaintenanceWindowSchema } from "./maintenance-window.ts";
import { configDefaultsSchema, configGroupSchema, configMonitorSchema } from "./monitor.ts";
import { configRotaSchema } from "./rota.ts";
import { configSloSchema } from "./slo.ts";
import { configStatusPageSchema } from "./status-page.ts";
import { configThirdPartyPatternSchema } from "./third-party-pattern.ts";

/** Schema of the name of a project, under which its deploys are kept. */
export const projectNameSchema = z
  .string()
  .min(1, "a project's name has at least 1 character")
  .max(100, "a project's name has at most 100 characters");

const rootFields = {
  project: projectNameSchema.describe("Name of the project; shown in the plan."),
  renamedFrom: projectNameSchema
    .optional()
    .describe("Former name of the project: what was deployed under it belongs to this project now."),
  alertChannels: z
    .record(channelNameSchema, configChannelSchema)
    .optional()
    .describe("Channels by their names; alerts and SLOs refer to them as @name."),
  defaults: configDefaultsSchema.optional().describe("Inherited by every monitor."),
  groups: z.array(configGroupSchema).optional().describe("Monitors that share settings."),
  monitors: z.array(configMonitorSchema).optional(),
  thirdPartyPatterns: z
    .array(configThirdPartyPatternSchema)
    .optional()
    .describe("Hosts that pages depend on; SLOs refer to them by name."),
  slos: z.array(configSloSchema).optional(),
  alertPolicies: z
    .array(configAlertPolicySchema)
    .optional()
    .describe("Alert rules for every monitor that has certain labels, also for those beyond this config."),
  rotas: z.array(configRotaSchema).optional().describe("People who are on duty in turn."),
  incidentPolicy: configIncidentPolicySchema
    .optional()
    .describe("Whom to notify when nobody acknowledges an incident. A team has one."),
  statusPages: z
    .array(configStatusPageSchema)
    .optional()
    .describe("Public pages of how chosen monitors stand. Their notices are no part of the config."),
};

/** Schema of svc.config.yaml in the single-file layout. */
export const svcConfigSchema = closedObject({
  ...rootFields,
  maintenanceWindows: z.array(configMaintenanceWindowSchema).optional(),
});
/** A whole config of valid form. References between its resources are checked later. */
export type SvcConfig = z.infer<typeof svcConfigSchema>;

/** Schema of one file of the directory layout: any part of the configuration. */
export const svcConfigPartSchema = closedObject(
  { ...rootFields, project: rootFields.project.optional() },
  { maintenanceWindows: "maintenance windows need the single-file layout (svc.config.yaml)" },
);

/** Returns the JSON Schema by which editors validate svc.config.yaml. */
export function svcConfigJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(svcConfigSchema, { io: "input", unrepresentable: "any", reused: "ref" });
  return { title: "svc.config.yaml", ...schema };
}
