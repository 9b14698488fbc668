/** Routes of notification channels and of their deliveries. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField, pageQuerySchema } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  channelSchema,
  createChannelSchema,
  createdChannelSchema,
  deliveriesQuerySchema,
  deliverySchema,
  testChannelSchema,
  updateChannelSchema,
} from "../resources/channel.ts";
import { channelStandingSchema } from "../resources/channel-standing.ts";
import { incidentBodyPreviewSchema, previewIncidentBodySchema } from "../resources/incident-template.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import { maskedQuery } from "./masked-query.ts";
import { defineRoute } from "./route.ts";

const tag = "Notification channels";
const params = z.object({ id: idSchema("channel") });
/** Outcome of an attempt that a request makes and waits for. */
const attempt = z.object({
  success: z.boolean().describe("Whether it was delivered."),
  delivery: deliverySchema,
});

/** Routes of channels, by operation. */
export const channelRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/notification-channels",
    access: "reads",
    tag,
    summary: "List the team's channels, newest first",
    description: "Without `limit` and `cursor` the answer holds all channels.",
    query: cursorPageQuerySchema.extend(maskedQuery),
    answer: z.object({ channels: z.array(channelSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/notification-channels",
    access: "changes",
    tag,
    summary: "Create a channel",
    body: createChannelSchema,
    status: 201,
    answer: z.object({ channel: createdChannelSchema }),
    otherAnswers: { 409: errorSchema },
  }),
  preview: defineRoute({
    method: "POST",
    path: "/api/notification-channels/preview",
    access: "changes",
    tag,
    summary: "Tell what a webhook channel would send of an incident's event, without sending it",
    description:
      "The event is that of a test; the code that sends it renders it. Templates of a team are rendered one after another, each for a second at most.",
    body: previewIncidentBodySchema,
    answer: incidentBodyPreviewSchema,
  }),
  listStandings: defineRoute({
    method: "GET",
    path: "/api/notification-channels/standings",
    access: "reads",
    tag,
    summary: "List how the team's channels stand: what notifies them, and how their newest deliveries went",
    description: "In the order of the list of channels.",
    query: pageQuerySchema,
    answer: z.object({
      standings: z.array(channelStandingSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/notification-channels/:id",
    access: "reads",
    tag,
    summary: "Get a channel",
    params,
    query: z.object(maskedQuery),
    answer: z.object({ channel: channelSchema }),
    versioned: "channel",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/notification-channels/:id/as-code",
    access: "reads",
    tag,
    summary: "Get a channel as the file of a config",
    description: "Credentials are written as `{{secrets.NAME}}`.",
    params,
    answer: recordAsCodeSchema,
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/notification-channels/:id",
    access: "changes",
    tag,
    summary: "Change a channel; its type stays",
    description:
      "A `***` of a masked read keeps the stored secret, and is refused where none is stored or the URL around it has changed.",
    params,
    body: updateChannelSchema,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/notification-channels/:id",
    access: "changes",
    tag,
    summary: "Delete a channel that nothing refers to",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
  listDeliveries: defineRoute({
    method: "GET",
    path: "/api/notification-channels/:id/deliveries",
    access: "reads",
    tag,
    summary: "List the attempts to deliver to a channel, newest first",
    params,
    query: deliveriesQuerySchema,
    answer: z.object({
      deliveries: z.array(deliverySchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  test: defineRoute({
    method: "POST",
    path: "/api/notification-channels/:id/test",
    access: "changes",
    tag,
    summary: "Send a test notification, at most once in 60 seconds, and wait for its outcome",
    params,
    // All fields have defaults, so a request needs no body.
    body: testChannelSchema.nullish(),
    answer: attempt,
  }),
  redeliver: defineRoute({
    method: "POST",
    path: "/api/notification-channels/:id/deliveries/:deliveryId/redeliver",
    access: "changes",
    tag,
    summary: "Make one more attempt at a delivery's notification, and wait for its outcome",
    params: params.extend({ deliveryId: idSchema("delivery") }),
    answer: attempt,
    otherAnswers: { 409: errorSchema },
  }),
};
