/** The event feed's route. */
import { feedEventSchema, feedQuerySchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { listEvents } from "./list-events.ts";

export function registerEventRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/events",
    {
      schema: {
        tags: ["Events"],
        summary: "List what happened to checks and alerts, newest first",
        querystring: feedQuerySchema,
        response: {
          200: z.object({
            events: z.array(feedEventSchema),
            limit: z.number(),
            offset: z.number(),
            hasMore: z.boolean(),
          }),
        },
      },
    },
    async ({ caller, query }) => {
      const { events, hasMore } = await listEvents(services, caller.teamId, query);
      return { events, limit: query.limit, offset: query.offset, hasMore };
    },
  );
}
