/** Measures how long the REST API takes, by route and status. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { beganWork } from "../loop-watch.ts";
import { metricsOf } from "../metrics/metrics-of.ts";

/** Counts every answer in the registry, and logs one line at debug for it, without headers and query. */
export function measureRequests(app: FastifyInstance, registry: Registry): void {
  const requestSeconds = metricsOf(registry).histogram(
    "svc_http_request_duration_seconds",
    "Time from the request's arrival to the end of the answer.",
    {
      labelNames: ["method", "route", "status"],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    },
  );
  // Each of these steps may begin long after the one before, and each may hold the loop: reading, validating, answering.
  app.addHook("onRequest", (request, _reply, done) => {
    beganWork(nameOf(request));
    done();
  });
  app.addHook("preValidation", (request, _reply, done) => {
    beganWork(nameOf(request));
    done();
  });
  app.addHook("preSerialization", async (request, _reply, payload) => {
    beganWork(nameOf(request));
    return payload;
  });
  app.addHook("onResponse", async (request, reply) => {
    const { isUncounted, isStream } = request.routeOptions.config;
    if (isUncounted || isStream) return;
    const { method } = request;
    const { url: route } = request.routeOptions;
    requestSeconds.observe(
      // The route's pattern, not the path: ids would make a time series each.
      { method, route: route ?? "none", status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    request.log.debug({ method, route, status: reply.statusCode, ms: reply.elapsedTime }, "request");
  });
}

function nameOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? "an unknown route"}`;
}
