/** The alert policy resource: one alert rule for every check that has certain labels, now and later. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import type { ConditionDefinition } from "../conditions/define-condition.ts";
import { type Condition, conditionSchema, conditionsSchema, conditionTypes } from "../conditions/registry.ts";
import { alertChannelIdsSchema, alertRecoverySchema, confirmSchema } from "./alert-rule.ts";
import { labelSchema } from "./labels.ts";
import { type CheckOfRule, refuseCondition } from "./refuse-condition.ts";

/** Most labels that an alert policy asks for. */
const POLICY_LABELS_MAX = 20;
/** Most checks that a preview of an alert policy lists. */
export const POLICY_PREVIEW_CHECKS_MAX = 200;

/** Schema of the name of an alert policy; its rules have that name. */
export const alertPolicyNameSchema = nameSchema({ charactersMax: 255 });

/** Schema of the labels that a check needs, all of them, for an alert policy to hold for it. */
export const policyLabelsSchema = z
  .array(labelSchema)
  .min(1, "at least one label")
  .max(POLICY_LABELS_MAX, `at most ${POLICY_LABELS_MAX} labels`)
  .superRefine(uniqueItems)
  .describe("The policy holds for every check that has all of them.");

/** Schema of the conditions of an alert policy: those of an alert rule that may hold for more than one check. */
export const policyConditionsSchema = conditionsSchema
  .superRefine((conditions, context) => {
    for (const [i, { type }] of conditions.entries()) {
      const { notForPolicies: reason }: Pick<ConditionDefinition, "notForPolicies"> =
        conditionTypes.get(type);
      if (reason !== undefined)
        context.addIssue({
          code: "custom",
          path: [i, "type"],
          message: `a policy can't have the condition ${type}: ${reason}`,
        });
    }
  })
  .describe("All of them must hold at once. A check for which one can never hold gets no rule.");

const readOnlyFields = {
  id: readOnlyField,
  checkCount: readOnlyField,
  isApplied: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/alert-policies. */
export const createAlertPolicySchema = closedObject({
  name: alertPolicyNameSchema.describe("Unique within the team; the rules have it, too."),
  labels: policyLabelsSchema,
  enabled: z.boolean().default(true).describe("False: no check has a rule of it."),
  conditions: policyConditionsSchema,
  channelIds: alertChannelIdsSchema,
  confirm: confirmSchema.default(false),
  recovery: alertRecoverySchema.default({ consecutiveSuccesses: 1 }),
  ...readOnlyFields,
});
/** Body of the request that creates an alert policy, defaults filled in. */
export type CreateAlertPolicy = z.infer<typeof createAlertPolicySchema>;

/** Body of PUT /api/alert-policies/:id: any part of a policy; lists replace the stored ones. */
export const updateAlertPolicySchema = closedObject({
  name: alertPolicyNameSchema.optional(),
  labels: policyLabelsSchema.optional(),
  enabled: z.boolean().optional(),
  conditions: policyConditionsSchema.optional(),
  channelIds: alertChannelIdsSchema.optional(),
  confirm: confirmSchema.optional(),
  recovery: alertRecoverySchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes an alert policy. Absent fields stay as they are. */
export type UpdateAlertPolicy = z.infer<typeof updateAlertPolicySchema>;

/** Schema of an alert policy as the API answers it. */
export const alertPolicySchema = z
  .object({
    id: idSchema("alertPolicy"),
    name: z.string(),
    labels: z.array(z.string()),
    enabled: z.boolean(),
    conditions: z.array(conditionSchema),
    channelIds: z.array(idSchema("channel")),
    confirm: z.boolean(),
    recovery: z.object({ consecutiveSuccesses: z.number() }),
    checkCount: z.number().describe("Checks that have a rule of it now."),
    isApplied: z
      .boolean()
      .describe("False while the rules of its checks are still being made or changed: some seconds at most."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "AlertPolicy" });
/** An alert rule for every check that has certain labels. */
export type AlertPolicy = z.infer<typeof alertPolicySchema>;

/** Body of POST /api/alert-policies/preview. */
export const previewAlertPolicySchema = closedObject({
  labels: policyLabelsSchema,
  conditions: policyConditionsSchema.optional().describe("Absent: only the labels are looked at."),
});
/** The parts of an alert policy that decide for which checks it holds. */
export type PreviewAlertPolicy = z.infer<typeof previewAlertPolicySchema>;

/** Schema of the checks for which an alert policy would hold. */
export const alertPolicyPreviewSchema = z
  .object({
    checkCount: z.number().describe("Checks that have the labels."),
    checks: z
      .array(
        z.object({
          id: idSchema("check"),
          name: z.string(),
          refusal: z.string().nullable().describe("Why the check gets no rule; null: it gets one."),
        }),
      )
      .describe(`The first ${POLICY_PREVIEW_CHECKS_MAX} of them by name.`),
  })
  .meta({ id: "AlertPolicyPreview" });
/** The checks for which an alert policy would hold. */
export type AlertPolicyPreview = z.infer<typeof alertPolicyPreviewSchema>;

/** True when a check has all labels that an alert policy asks for. */
export function hasPolicyLabels(wanted: readonly string[], labels: readonly string[]): boolean {
  return wanted.every((label) => labels.includes(label));
}

/** Returns why a check gets no rule of a policy although it has the labels: each condition that can never hold; undefined: it gets one. */
export function refusePolicy(conditions: readonly Condition[], check: CheckOfRule): string | undefined {
  const reasons = conditions.flatMap((condition) => refuseCondition(condition, check) ?? []);
  return reasons.length === 0 ? undefined : reasons.join("; ");
}
