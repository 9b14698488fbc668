/** Registers the routes that tell how a team stands as a whole. */
import { checkRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { ChecksSummaries } from "./checks-summary.ts";

/** Registers the summary of checks. */
export function registerOverviewRoutes(app: ApiApp, services: Services): void {
  const summaries = new ChecksSummaries();
  serve(app, checkRoutes.getSummary, async (request, reply) => {
    const { text, gzipped } = await summaries.read(contextOf(services, request), request.query.cursor);
    const acceptsGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    return reply
      .headers({
        "content-type": "application/json; charset=utf-8",
        vary: "accept-encoding",
        ...(acceptsGzip && { "content-encoding": "gzip" }),
      })
      .send(acceptsGzip ? gzipped : text);
  });
}
