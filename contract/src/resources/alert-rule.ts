/** The alert rule resource: the conditions under which a check alerts, and the channels it notifies. */
import * as z from "zod";
import { BASELINE_METRICS } from "../base/baseline-metrics.ts";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { conditionSchema, conditionsSchema } from "../conditions/registry.ts";
import { channelSchema } from "./channel.ts";

/** Schema of the name of an alert rule. */
export const alertRuleNameSchema = nameSchema({ charactersMax: 255 });

/** Schema of channel ids: at least one, none twice. The service checks that the channels exist. */
export const alertChannelIdsSchema = z
  .array(z.string().min(1).max(128))
  .min(1, "at least one channel")
  .max(50, "at most 50 channels")
  .superRefine(uniqueItems);

/** Schema of the recovery rule: when a failure counts as over. */
export const alertRecoverySchema = closedObject({
  consecutiveSuccesses: z
    .int()
    .min(1, "smallest is 1")
    .max(100, "largest is 100")
    .default(1)
    .describe("Successes in a row that each location needs which had failed."),
});

/** Schema of whether failures are confirmed by a second run. */
export const confirmSchema = z
  .boolean()
  .describe(
    "Run the check once more, from another location or runner, before a failure alerts; only a confirmed one does.",
  );

const readOnlyFields = {
  id: readOnlyField,
  checkId: readOnlyField,
  channels: readOnlyField,
  sloId: readOnlyField,
  policyId: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/checks/:id/alerts. */
export const createAlertRuleSchema = closedObject({
  name: alertRuleNameSchema.nullable().default(null),
  enabled: z.boolean().default(true),
  conditions: conditionsSchema.describe("All of them must hold at once."),
  channelIds: alertChannelIdsSchema,
  confirm: confirmSchema.default(false),
  recovery: alertRecoverySchema.default({ consecutiveSuccesses: 1 }),
  ...readOnlyFields,
});
/** Body of the request that creates an alert rule, defaults filled in. */
export type CreateAlertRule = z.infer<typeof createAlertRuleSchema>;

/** Body of PUT /api/alerts/:alertId: any part of a rule; `conditions` and `channelIds` replace the stored lists. */
export const updateAlertRuleSchema = closedObject({
  name: alertRuleNameSchema.nullable().optional(),
  enabled: z.boolean().optional(),
  conditions: conditionsSchema.optional(),
  channelIds: alertChannelIdsSchema.optional(),
  confirm: confirmSchema.optional(),
  recovery: alertRecoverySchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes an alert rule. Absent fields stay as they are. */
export type UpdateAlertRule = z.infer<typeof updateAlertRuleSchema>;

/** Schema of how far the baselines of a metric are. */
const baselineProgressSchema = z.object({
  metric: z.enum(BASELINE_METRICS),
  hoursKnown: z.number().describe("Hours of the week that have a baseline at every location of the check."),
  hoursTotal: z.number().describe("168."),
  judgesFrom: z
    .string()
    .nullable()
    .describe("Day from which about all hours are judged (YYYY-MM-DD, UTC); null: they are already."),
});
/** How many hours of the week have a baseline of one metric, and from when on about all are judged. */
export type BaselineProgress = z.infer<typeof baselineProgressSchema>;

/** Schema of an alert rule as the API answers it. */
export const alertRuleSchema = z
  .object({
    id: idSchema("alertRule"),
    checkId: idSchema("check"),
    name: z.string().nullable(),
    enabled: z.boolean(),
    conditions: z.array(conditionSchema),
    channelIds: z.array(idSchema("channel")),
    channels: z.array(channelSchema).describe("The channels that channelIds name."),
    confirm: z.boolean(),
    recovery: z.object({ consecutiveSuccesses: z.number() }),
    baselines: z
      .array(baselineProgressSchema)
      .optional()
      .describe(
        "In the list of a check's rules, of rules with baseline_anomaly: how far their baselines are.",
      ),
    sloId: idSchema("slo")
      .nullable()
      .describe("The SLO that generated the rule and that it follows; null: none did."),
    policyId: idSchema("alertPolicy")
      .nullable()
      .describe("The alert policy that generated the rule and that it follows; null: none did."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "AlertRule" });
/** An alert rule of a check. */
export type AlertRule = z.infer<typeof alertRuleSchema>;
