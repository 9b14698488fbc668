/** Routes of the event feed. */
import * as z from "zod";
import { feedEventSchema, feedQuerySchema } from "../events/feed.ts";
import { defineRoute } from "./route.ts";

/** Routes of the event feed, by operation. */
export const eventRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/events",
    access: "reads",
    isReport: true,
    tag: "Events",
    summary: "List what happened to checks and alerts, newest first",
    query: feedQuerySchema,
    answer: z.object({
      events: z.array(feedEventSchema),
      limit: z.number(),
      offset: z.number(),
      hasMore: z.boolean(),
    }),
  }),
};
