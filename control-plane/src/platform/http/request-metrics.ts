/** How long the REST API takes, by route and status. */
import type { FastifyInstance } from "fastify";
import { Histogram } from "prom-client";
import { metrics } from "../metrics/registry.ts";

const requestSeconds = new Histogram({
  name: "svc_http_request_duration_seconds",
  help: "Time from the request's arrival to the end of the answer.",
  labelNames: ["method", "route", "status"],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metrics],
});

export function measureRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    if (request.routeOptions.config.isUncounted) return;
    requestSeconds.observe(
      // The route's pattern, not the path: ids would make a time series each.
      { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    request.log.debug(
      {
        method: request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      "request",
    );
  });
}
