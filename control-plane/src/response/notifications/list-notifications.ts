import { type NotificationsQuery, notificationSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { listNotificationRows, type NotificationRow } from "./notification-store.ts";

/** Returns the list of the team's notifications that tell of a subject, newest first; empty for another team's subject. */
export function listNotifications(
  { services, teamId }: TeamContext,
  { subjectId }: Pick<NotificationsQuery, "subjectId">,
): RecordList<NotificationRow> {
  return {
    name: "notifications",
    cursorShape: ["number"],
    read: (part) => listNotificationRows(services.knex, teamId, { subjectId, ...part }),
    textOf: ({ key: _, ...notification }) => JSON.stringify(z.encode(notificationSchema, notification)),
    cursorOf: ({ key }) => [key],
  };
}
