/** Answers of `svc alerts`: alerts, their rules and the policies that generate rules. */
import {
  alertExplanationSchema,
  alertInstanceEventSchema,
  alertInstanceRoutes,
  alertInstanceSchema,
  alertInstanceSummarySchema,
  alertPolicyPreviewSchema,
  alertPolicySchema,
  alertRuleSchema,
  timestampSchema,
} from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField, pageFields } from "./fields.ts";
import { fragmentDetails } from "./problems.ts";

const id = z.string();

/** Schema of a rule with the name of its monitor, as the commands answer it. */
const ruleSchema = alertRuleSchema
  .omit({ channels: true, baselines: true })
  .extend({ checkName: z.string().nullable().describe("Name of the monitor; null: it is gone.") });

const namedChannels = z
  .array(z.object({ id, name: z.string().nullable().describe("null: the channel is gone.") }))
  .describe("The channels that channelIds name.");

/** Answers of `svc alerts list`. */
export const alertsList: Answers = {
  data: z.object({ alerts: z.array(alertInstanceSummarySchema), ...pageFields }),
};

/** Answers of `svc alerts get`. */
export const alertsGet: Answers = {
  data: z.object({ alert: alertInstanceSchema, events: z.array(alertInstanceEventSchema) }),
};

/** Answers of `svc alerts ack`. */
export const alertsAck: Answers = {
  data: alertInstanceRoutes.acknowledge.answer.omit({ success: true }).extend({ id }),
};

/** Answers of `svc alerts resolve`. */
export const alertsResolve: Answers = {
  data: alertInstanceRoutes.resolve.answer.omit({ success: true }).extend({ id }),
};

/** Answers of `svc alerts unmute`. */
export const alertsUnmute: Answers = { data: z.object({ id }) };

/** Answers of `svc alerts mute`. */
export const alertsMute: Answers = {
  data: z.object({ id, mutedUntil: timestampSchema.nullable().describe("null: until it is unmuted.") }),
};

/** Answers of `svc alerts explain`. */
export const alertsExplain: Answers = {
  data: alertExplanationSchema.extend({ rule: ruleSchema.pick({ id: true, name: true, checkName: true }) }),
};

/** Answers of `svc alerts rules list`. */
export const rulesList: Answers = { data: z.object({ rules: z.array(ruleSchema) }) };

/** Answers of `svc alerts rules get`. */
export const rulesGet: Answers = {
  data: z.object({
    rule: ruleSchema.extend({ baselines: alertRuleSchema.shape.baselines, channels: namedChannels }),
  }),
};

/** Answers of `svc alerts rules create`. */
export const rulesCreate: Answers = { data: z.object({ rule: ruleSchema }), details: fragmentDetails };

/** Answers of `svc alerts rules edit`. */
export const rulesEdit: Answers = {
  data: z.object({ rule: ruleSchema, ...changedField }),
  details: fragmentDetails,
};

/** Answers of `svc alerts rules enable` and `disable`. */
export const rulesSwitch: Answers = {
  data: z.object({
    id,
    name: z.string().nullable(),
    status: z.enum(["enabled", "disabled"]),
    changed: z.boolean().describe("False: it was so already."),
  }),
};

/** Answers of `svc alerts policies list`. */
export const policiesList: Answers = { data: z.object({ policies: z.array(alertPolicySchema) }) };

/** Answers of `svc alerts policies get`. */
export const policiesGet: Answers = {
  data: z.object({
    policy: alertPolicySchema.extend({ channels: namedChannels }),
    monitors: alertPolicyPreviewSchema.shape.checks,
  }),
};

/** Answers of `svc alerts policies create`. */
export const policiesCreate: Answers = {
  data: z.object({ policy: alertPolicySchema }),
  details: fragmentDetails,
};

/** Answers of `svc alerts policies edit`. */
export const policiesEdit: Answers = {
  data: z.object({ policy: alertPolicySchema, ...changedField }),
  details: fragmentDetails,
};
