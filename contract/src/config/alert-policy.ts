/** An alert policy in svc.config.yaml: one alert rule for every monitor that has certain labels. */
import { closedObject } from "../base/objects.ts";
import {
  alertPolicyNameSchema,
  policyConditionsSchema,
  policyLabelsSchema,
} from "../resources/alert-policy.ts";
import { configAlertSchema } from "./alert.ts";

const { enabled, channels, confirm, recovery } = configAlertSchema.shape;

/** Schema of an alert policy in svc.config.yaml. */
export const configAlertPolicySchema = closedObject({
  name: alertPolicyNameSchema,
  labels: policyLabelsSchema,
  enabled,
  conditions: policyConditionsSchema,
  channels,
  confirm,
  recovery,
});
