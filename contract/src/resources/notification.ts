/** The notification resource: what one channel is notified of about an alert, an incident or a location. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { channelTypes } from "../channels/registry.ts";

/** Schema of a notification with the outcome of its newest attempt. */
export const notificationSchema = z
  .object({
    id: idSchema("notification"),
    channelId: idSchema("channel"),
    channelName: z.string(),
    channelType: z.enum(channelTypes.types),
    eventType: z
      .string()
      .describe(
        "What it tells of: of an alert triggered, recovered, ...; of an incident opened, closed, ...",
      ),
    subjectId: z
      .string()
      .describe("What it is about. For an alert that its incident reported: the incident."),
    status: z
      .enum(["pending", "delivered", "failed", "skipped"])
      .describe(
        "delivered once an attempt succeeded; failed when it was given up; skipped when quiet hours held it until its matter was over.",
      ),
    attempts: z.number().describe("Attempts that have ended."),
    httpStatus: z.number().nullable().describe("Of the newest attempt."),
    error: z.string().nullable().describe("Of the newest attempt; why it was held or skipped."),
    createdAt: timestampSchema.describe("When it was written."),
    attemptedAt: timestampSchema
      .nullable()
      .describe("When the newest attempt ended; null: there was none yet."),
  })
  .meta({ id: "Notification" });
/** One notification to one channel. */
export type Notification = z.infer<typeof notificationSchema>;

/** Schema of the query of the list of notifications. */
export const notificationsQuerySchema = z.object({
  subjectId: z
    .string()
    .min(1)
    .max(100)
    .describe("Id of an alert instance, an incident or a location: only notifications that tell of it."),
  ...pageQuerySchema.shape,
});
/** Query of GET /api/notifications. */
export type NotificationsQuery = z.infer<typeof notificationsQuerySchema>;
