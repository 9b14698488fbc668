import { type Notification, notificationRoutes } from "@svc/contract";
import * as z from "zod";
import { listNotifications as listNotificationsOf } from "../../response/notifications/list-notifications.ts";
import { readPage } from "../answers/page.ts";
import { untrusted } from "../answers/untrusted.ts";
import { pageInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists who was notified. */
export const listNotifications = defineTool({
  type: "list_notifications",
  title: "Who was notified",
  description:
    "Lists the channels that were notified of an alert, an incident or a location, when, of what, and whether it arrived.",
  routes: [notificationRoutes.list],
  input: z.strictObject({
    subjectId: z
      .string()
      .min(1)
      .max(100)
      .describe("Id of an alert (ainst_...), an incident (inc_...) or a location (loc_...)."),
    ...pageInput,
  }),
  async run({ ctx }, { subjectId, limit, next }) {
    const page = await readPage({
      list: listNotificationsOf(ctx, { subjectId }),
      limit,
      next,
      view: ({ error, id: _, ...notification }: Notification) => ({
        ...notification,
        ...untrusted({ error }),
      }),
    });
    const { length } = page.records;
    return {
      summary: length === 0 ? "Nobody was notified of it." : `${length} notifications, newest first.`,
      notifications: page.records,
      next: page.next,
    };
  },
});
