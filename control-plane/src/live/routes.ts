/** Registers the route of the live stream. */
import { liveRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { serve } from "../platform/http/serve.ts";
import type { LiveHubs } from "./live-hubs.ts";

const HEADERS = {
  "content-type": "text/event-stream",
  // A proxy that changes or collects the answer would hold events back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Registers following what changes. Streams end before the server waits for open requests. */
export function registerLiveRoutes(app: ApiApp, live: LiveHubs): void {
  app.addHook("preClose", () => live.close());
  serve(app, liveRoutes.stream, {
    exposeHeadRoute: false,
    isStream: true,
    waitsElsewhere: true,
    handler: async ({ caller, query, headers }, reply) => {
      const { topics, checkId: checkIds } = query;
      const stream = live.open({ caller, topics, checkIds });
      reply.raw.once("close", () => stream.readable.destroy());
      const lastEventId = headers["last-event-id"];
      await live.join(stream, { checkIds, lastEventId: lastEventId?.toString() });
      return reply.headers(HEADERS).send(stream.readable);
    },
  });
}
