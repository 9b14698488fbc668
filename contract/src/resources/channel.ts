/** The notification channel resource: a receiver of a team's notifications. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { MASK } from "../base/masked-read.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField, withoutDefaults } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { refusedFieldsOf } from "../channels/define-channel.ts";
import { type ChannelConfig, type ChannelType, channelTypes } from "../channels/registry.ts";
import { incidentEventTypes } from "../events/incident.ts";

/** Schema of the name of a channel. */
export const channelNameSchema = nameSchema({ charactersMax: 100 });

type ChannelMember = (typeof channelTypes)["members"][number];

/** Returns the schema of a channel type without its defaults, because the API answers the object as it was submitted. */
export function submittedSchemaOf({ schema, audience }: ChannelMember) {
  return closedObject(
    { ...withoutDefaults(schema.shape), type: schema.shape.type },
    refusedFieldsOf(audience),
  );
}

type SubmittedSchema = ReturnType<typeof submittedSchemaOf>;

/** Schema of a channel object before defaults: absent optional fields stay absent. */
const submittedChannelSchema = z.discriminatedUnion(
  "type",
  channelTypes.members.map(submittedSchemaOf) as [SubmittedSchema, ...SubmittedSchema[]],
) as z.ZodType as z.ZodType<SubmittedChannel>;

/** Returns the schema of a channel type in an update, in which `***` may stand for a stored secret. */
function updatedSchemaOf({ schema, secretFields, audience }: ChannelMember) {
  const marks: Partial<Record<string, string>> = secretFields;
  const shape = Object.entries(withoutDefaults(schema.shape)).map(([field, one]) => [
    field,
    marks[field] === "whole" ? z.union([z.literal(MASK), one as z.ZodType]) : one,
  ]);
  return closedObject(
    { ...Object.fromEntries(shape), type: schema.shape.type },
    refusedFieldsOf(audience),
  ) as unknown as SubmittedSchema;
}

/** Schema of a channel object in an update. */
const updatedChannelSchema = z.discriminatedUnion(
  "type",
  channelTypes.members.map(updatedSchemaOf) as [SubmittedSchema, ...SubmittedSchema[]],
) as z.ZodType as z.ZodType<SubmittedChannel>;

/** A channel object before defaults. */
export type SubmittedChannel = { type: ChannelType } & Partial<ChannelConfig>;

const TEMPLATE_CHARACTERS_MAX = 65_536;

/** Schema of a template of one event's body. */
export const templateTextSchema = z
  .string()
  .min(1, "a body has at least 1 character")
  .max(TEMPLATE_CHARACTERS_MAX, `a body has at most ${TEMPLATE_CHARACTERS_MAX} characters`);

/** Schema of a webhook channel's own bodies for incident events: mustache-style text that renders to JSON. */
export const incidentTemplateSchema = closedObject({
  channelType: z.literal("webhook"),
  overrides: z.partialRecord(z.enum(incidentEventTypes.types), closedObject({ body: templateTextSchema })),
});
/** A team's own body of the incident events that a webhook channel gets. */
export type IncidentTemplate = z.infer<typeof incidentTemplateSchema>;

const readOnlyFields = {
  id: readOnlyField,
  type: readOnlyField,
  config: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

/** Body of POST /api/notification-channels. */
export const createChannelSchema = closedObject({ name: channelNameSchema, channel: submittedChannelSchema });
/** Body of the request that creates a channel. */
export type CreateChannel = z.infer<typeof createChannelSchema>;

/**
 * Body of PUT /api/notification-channels/:id: any part; `channel` replaces the whole object and must keep the type. A `***` of a
 * masked read keeps the stored value.
 */
export const updateChannelSchema = closedObject({
  name: channelNameSchema.optional(),
  channel: updatedChannelSchema.optional(),
  incidentTemplate: incidentTemplateSchema.nullable().optional(),
  incidentSubscribed: z
    .boolean()
    .optional()
    .describe("false: a webhook channel gets alert notifications only, no incident events."),
  ...readOnlyFields,
});
/** Body of the request that changes a channel. Absent fields stay as they are. */
export type UpdateChannel = z.infer<typeof updateChannelSchema>;

/** Schema of a channel in the answer to its creation. */
export const createdChannelSchema = z
  .object({
    id: idSchema("channel"),
    name: z.string(),
    type: z.enum(channelTypes.types),
    config: z.record(z.string(), z.unknown()).describe("The channel object as submitted."),
  })
  .meta({ id: "CreatedChannel" });
/** Answer to the creation of a channel, the only one with its configuration in clear. */
export type CreatedChannel = z.infer<typeof createdChannelSchema>;

/** Schema of a channel as the API answers it. */
export const channelSchema = createdChannelSchema
  .extend({
    incidentTemplate: incidentTemplateSchema.nullable().optional().describe("Webhook channels only."),
    incidentSubscribed: z.boolean().optional().describe("Webhook channels only."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Channel" });
/** A notification channel, with the secret fields of its configuration masked. */
export type Channel = z.infer<typeof channelSchema>;

/** Schema of a delivery: one attempt to hand a notification over. */
export const deliverySchema = z
  .object({
    id: idSchema("delivery"),
    notificationId: idSchema("notification").describe("The same for each attempt at one notification."),
    eventType: z
      .string()
      .describe(
        "What it tells of: of an alert triggered, recovered, ...; of an incident opened, closed, ...; " +
          "of a location location.health_changed.",
      ),
    subjectId: z
      .string()
      .nullable()
      .describe("What it is about: an incident, an alert instance or a location."),
    status: z
      .enum(["delivered", "failed", "skipped_dedupe", "held", "skipped_over"])
      .describe(
        "Outcome of this attempt. held: none was made, because the channel has quiet hours until nextAttemptAt; " +
          "skipped_over: none was made, because the matter was over when quiet hours ended.",
      ),
    notificationStatus: z
      .enum(["pending", "delivered", "failed", "skipped"])
      .describe(
        "State of the notification now, after all attempts: delivered once one of them succeeded, by hand or not; " +
          "failed when it was given up; skipped when quiet hours held it until its matter was over.",
      ),
    isTest: z.boolean(),
    attempt: z
      .number()
      .describe("From 1. Of a notification that was held or skipped: the number of attempts before."),
    httpStatus: z.number().nullable(),
    error: z.string().nullable(),
    durationMs: z.number(),
    nextAttemptAt: timestampSchema
      .nullable()
      .describe("When it is tried again, or is no longer held; null: it is not."),
    createdAt: timestampSchema,
  })
  .meta({ id: "Delivery" });
/** One attempt to hand a notification over to a channel, with its outcome. */
export type Delivery = z.infer<typeof deliverySchema>;

/** Schema of the query of the list of deliveries. */
export const deliveriesQuerySchema = pageQuerySchema;

const LOCATION_TEST_TYPE = "location.health_changed";
const ALERT_TEST_TYPES = ["triggered", "acknowledged", "escalated", "recovered", "resolved"] as const;

/** Body of POST /api/notification-channels/:id/test. */
export const testChannelSchema = closedObject({
  eventType: z
    .enum([...new Set([...ALERT_TEST_TYPES, ...incidentEventTypes.types]), LOCATION_TEST_TYPE] as [
      | (typeof ALERT_TEST_TYPES)[number]
      | (typeof incidentEventTypes.types)[number]
      | typeof LOCATION_TEST_TYPE,
    ])
    .optional()
    .describe(
      "What to try: an event of an alert, of a location, or of an incident, for which a webhook channel's template is used. " +
        "Default: opened where incident events are sent, else triggered. " +
        "acknowledged is that of an incident where incident events are sent.",
    ),
});
/** Body of the request that sends a test notification. */
export type TestChannel = z.infer<typeof testChannelSchema>;
