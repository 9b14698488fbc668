/** Registers the route of the event feed. */
import { eventRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listEvents } from "./list-events.ts";

/** Registers reading the feed. */
export function registerEventRoutes(app: ApiApp, services: Services): void {
  serve(app, eventRoutes.list, async (request) => {
    const { limit, offset } = request.query;
    const { events, hasMore } = await listEvents(contextOf(services, request), request.query);
    return { events, limit, offset, hasMore };
  });
}
