/** Route of notifications over all channels. */
import * as z from "zod";
import { nextCursorField } from "../base/list-page.ts";
import { notificationSchema, notificationsQuerySchema } from "../resources/notification.ts";
import { defineRoute } from "./route.ts";

/** Routes of notifications, by operation. */
export const notificationRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/notifications",
    access: "reads",
    tag: "Notification channels",
    summary: "List who was notified of an alert, an incident or a location, newest first",
    description:
      "One entry for each notification and channel, without tests. An alert's list has the notifications of its incident that tell of it.",
    query: notificationsQuerySchema,
    answer: z.object({
      notifications: z.array(notificationSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
};
