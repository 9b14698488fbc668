/** The incident policy of a team: whom to notify when nobody acknowledges an incident, and when. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";

const MINUTES_MAX = 1_440;
/** Most steps of the policy. */
export const STEPS_MAX = 10;
/** Most channels that a step names. */
export const CHANNELS_OF_STEP_MAX = 20;

/** Schema of when a step is due. */
export const stepMinutesSchema = z
  .int()
  .min(1, "smallest is 1")
  .max(MINUTES_MAX, `largest is ${MINUTES_MAX}`)
  .describe("Minutes for which the incident has been open and nobody has acknowledged it.");

const stepSchema = closedObject({
  afterMinutes: stepMinutesSchema,
  channelIds: z
    .array(idSchema("channel"))
    .max(CHANNELS_OF_STEP_MAX, `at most ${CHANNELS_OF_STEP_MAX} channels`)
    .superRefine(uniqueItems)
    .default([])
    .describe("Channels to notify; may be left out where a rota is named."),
  rotaId: idSchema("rota")
    .optional()
    .describe("A rota: whoever of it is on duty when the step is carried out is notified, too."),
}).superRefine(({ channelIds, rotaId }, context) => {
  if (channelIds.length === 0 && rotaId === undefined)
    context.addIssue({ code: "custom", path: ["channelIds"], message: "at least one channel, or a rotaId" });
});
/** A step of the incident policy: the channels and the rota to notify, and when. */
export type IncidentPolicyStep = z.infer<typeof stepSchema>;

/** Schema of the steps, each later than the one before it. */
const stepsSchema = z
  .array(stepSchema)
  .max(STEPS_MAX, `at most ${STEPS_MAX} steps`)
  .superRefine(refuseUnorderedSteps);

/** Adds an issue for each step that is not later than the one before it; for `superRefine`. */
export function refuseUnorderedSteps(
  steps: readonly { afterMinutes: number }[],
  context: z.RefinementCtx,
): void {
  for (const [i, { afterMinutes }] of steps.entries()) {
    const before = steps[i - 1]?.afterMinutes;
    if (before !== undefined && afterMinutes <= before)
      context.addIssue({
        code: "custom",
        path: [i, "afterMinutes"],
        message: `expected more than the ${before} of the step before it`,
      });
  }
}

/** Body of PUT /api/incident-policy. */
export const setIncidentPolicySchema = closedObject({
  steps: stepsSchema.describe("In their order, up to 10; none removes the policy."),
  teamId: readOnlyField,
  updatedAt: readOnlyField,
});
/** Body of the request that sets the incident policy, as a caller writes it. */
export type SetIncidentPolicy = z.input<typeof setIncidentPolicySchema>;

/** Schema of the incident policy as the API answers it. */
export const incidentPolicySchema = z
  .object({
    teamId: idSchema("team"),
    steps: z.array(
      z.object({
        afterMinutes: z.number(),
        channelIds: z.array(idSchema("channel")),
        rotaId: idSchema("rota").optional(),
      }),
    ),
    updatedAt: timestampSchema.nullable().describe("null: there is no policy."),
  })
  .meta({ id: "IncidentPolicy" });
/** The incident policy of a team; without steps there is none. */
export type IncidentPolicy = z.infer<typeof incidentPolicySchema>;
