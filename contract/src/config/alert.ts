/** An alert rule in svc.config.yaml. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { conditionsSchema } from "../conditions/registry.ts";
import { alertRecoverySchema, alertRuleNameSchema } from "../resources/alert-rule.ts";
import { channelReferencesSchema } from "./fields.ts";

/** Schema of an alert rule of a monitor. */
export const configAlertSchema = closedObject({
  name: alertRuleNameSchema.optional(),
  enabled: z.boolean().optional(),
  conditions: conditionsSchema.describe("All of them must hold at once."),
  channels: channelReferencesSchema.min(1, "at least one channel").max(50, "at most 50 channels"),
  confirm: z
    .boolean()
    .optional()
    .describe("Run the check once more before a failure alerts; only a confirmed one does."),
  recovery: alertRecoverySchema.optional(),
});
/** An alert rule as the config describes it; channels and checks are names. */
export type ConfigAlert = z.infer<typeof configAlertSchema>;

/** Schema of the alert rules of a monitor, a group or `defaults`. */
export const configAlertsSchema = z
  .array(configAlertSchema)
  .max(100, "at most 100 alert rules")
  .describe("Replaces the rules of the level above; an empty list: no alerts.");
