/** Routes of alert instances. */

import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  alertInstanceEventSchema,
  alertInstanceSchema,
  alertInstanceSummarySchema,
  alertInstancesQuerySchema,
  muteInstanceSchema,
} from "../resources/alert-instance.ts";
import { defineRoute } from "./route.ts";

const tag = "Alerts";
/** The instance is in a state in which the action is impossible. */
const otherAnswers = { 409: errorSchema };
const params = z.object({ id: idSchema("alertInstance") });

/** Routes of alert instances, by operation. */
export const alertInstanceRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/alerts/instances",
    access: "reads",
    tag,
    summary: "List alert instances, newest first",
    query: alertInstancesQuerySchema,
    answer: z.object({
      instances: z.array(alertInstanceSummarySchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/alerts/instances/:id",
    access: "reads",
    tag,
    summary: "Get an alert instance with its history",
    params,
    answer: z.object({ instance: alertInstanceSchema, events: z.array(alertInstanceEventSchema) }),
  }),
  acknowledge: defineRoute({
    method: "POST",
    path: "/api/alerts/instances/:id/acknowledge",
    access: "changes",
    tag,
    summary: "Acknowledge an active instance; 409 when it is not active",
    params,
    answer: successSchema.extend({ state: z.literal("acknowledged") }),
    otherAnswers,
  }),
  resolve: defineRoute({
    method: "POST",
    path: "/api/alerts/instances/:id/resolve",
    access: "changes",
    tag,
    summary: "Resolve an instance; 409 when it is over already",
    params,
    answer: successSchema.extend({ state: z.literal("resolved"), durationMs: z.number() }),
    otherAnswers,
  }),
  mute: defineRoute({
    method: "POST",
    path: "/api/alerts/instances/:id/mute",
    access: "changes",
    tag,
    summary: "Mute an instance, until an instant or until it is unmuted; 409 when it is over",
    params,
    body: muteInstanceSchema.optional(),
    answer: successSchema,
    otherAnswers,
  }),
  unmute: defineRoute({
    method: "POST",
    path: "/api/alerts/instances/:id/unmute",
    access: "changes",
    tag,
    summary: "Let an instance notify again; 409 when it is over",
    params,
    answer: successSchema,
    otherAnswers,
  }),
};
