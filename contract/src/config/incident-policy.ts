/** The incident policy in svc.config.yaml: the fields of the API, with names of channels and rotas instead of ids. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import {
  CHANNELS_OF_STEP_MAX,
  refuseUnorderedSteps,
  STEPS_MAX,
  stepMinutesSchema,
} from "../resources/incident-policy.ts";
import { rotaNameSchema } from "../resources/rota.ts";
import { configAlertSchema } from "./alert.ts";

const configStepSchema = closedObject({
  afterMinutes: stepMinutesSchema,
  channels: configAlertSchema.shape.channels
    .max(CHANNELS_OF_STEP_MAX, `at most ${CHANNELS_OF_STEP_MAX} channels`)
    .superRefine(uniqueItems)
    .optional()
    .describe("Channels to notify, as @name; may be left out where a rota is named."),
  rota: rotaNameSchema.optional().describe("Name of a rota: whoever of it is on duty then is notified, too."),
}).superRefine(({ channels = [], rota }, context) => {
  if (channels.length === 0 && rota === undefined)
    context.addIssue({ code: "custom", path: ["channels"], message: "at least one channel, or a rota" });
});

/** Schema of the incident policy in svc.config.yaml. */
export const configIncidentPolicySchema = closedObject({
  steps: z
    .array(configStepSchema)
    .min(1, "at least one step")
    .max(STEPS_MAX, `at most ${STEPS_MAX} steps`)
    .superRefine(refuseUnorderedSteps)
    .describe("In their order, each later than the one before it."),
});
/** The incident policy in svc.config.yaml. */
export type ConfigIncidentPolicy = z.infer<typeof configIncidentPolicySchema>;
