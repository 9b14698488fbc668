/** Creates the REST server: fastify, typed and validated by zod, with the rules that hold for every route. */
import cookie from "@fastify/cookie";
import fastify, { type FastifyBaseLogger, LogController } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { processMetrics } from "../metrics/registry.ts";
import type { Services } from "../services.ts";
import { traceRequests } from "../tracing/trace-requests.ts";
import type { ApiApp } from "./api.ts";
import { acceptJsonOnly, BODY_BYTES_MAX, PUBLIC_BODY_BYTES_MAX } from "./body.ts";
import { type AnswerUnknownPage, handleErrors, sendError } from "./error-handler.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { lingerOnUnreadBodies } from "./lingering.ts";
import { describeApi, REFERENCE_PATH } from "./openapi.ts";
import { registerOperationsRoutes } from "./operations.ts";
import { type CountRequest, createRateLimit } from "./rate-limit.ts";
import { measureRequests } from "./request-metrics.ts";
import { createRequestSeats, seatRequests } from "./request-seats.ts";
import { validatorCompiler } from "./validator-compiler.ts";
import { refuseUntilStarted, refuseWhileClosing } from "./while-not-ready.ts";

/** Longest that a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Longest path parameter: ids have about 30 characters, so a longer text names nothing. */
const PATH_PARAMETER_LENGTH_MAX = 256;

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Adds the hooks that find a request's caller, refuse those who may not pass, and count each for its rate limit. */
type ControlAccess = (app: ApiApp, services: Services, count: CountRequest) => void;

/** Parts that the composition root hands to the server. */
export interface ServerParts {
  /** Readiness as `/readyz` reports it. */
  lifecycle: Lifecycle;
  controlAccess: ControlAccess;
  answerUnknownPage?: AnswerUnknownPage;
}

/** Creates the server without the product's routes: register those, then listen. */
export async function createServer(
  services: Services,
  { lifecycle, controlAccess, answerUnknownPage }: ServerParts,
): Promise<ApiApp> {
  const app = fastify({
    loggerInstance: services.log as FastifyBaseLogger,
    // One line per request, at debug, without headers or query: see request-metrics.ts.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Trusts one proxy: only the entry that it added to X-Forwarded-For, as the caller may have written the others.
    trustProxy: services.config.trustProxy && ((_address: string, hop: number) => hop === 0),
    routerOptions: { maxParamLength: PATH_PARAMETER_LENGTH_MAX },
    forceCloseConnections: "idle",
    // Its own answer is no error of this API; see refuseWhileClosing.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  acceptJsonOnly(app);
  lingerOnUnreadBodies(app);
  handleErrors(app, answerUnknownPage);
  app.addHook("onRoute", (route) => {
    // The plugin's own pages declare no access.
    if (route.url.startsWith(REFERENCE_PATH)) route.config = { ...route.config, access: "public" };
    if (!route.config?.access) throw new Error(`${route.method} ${route.url} says nothing about its access`);
    if (route.config.access === "public") route.bodyLimit ??= PUBLIC_BODY_BYTES_MAX;
  });
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    if (request.url.startsWith("/api/")) void reply.header("cache-control", "no-store");
  });
  if (services.config.otel.traces) traceRequests(app);
  measureRequests(app, processMetrics);
  await app.register(cookie);
  await refuseUntilStarted(app, lifecycle);
  refuseWhileClosing(app);
  const count = await createRateLimit(app, services.config.rateLimitPerMinute);
  controlAccess(app, services, count);
  const seats = createRequestSeats(services.config);
  app.decorate("requestSeats", seats);
  seatRequests(app, seats);
  app.decorate("standby", services.standby);
  app.decorateRequest("standbyServices", undefined);
  await describeApi(app, services.publicUrl());
  registerOperationsRoutes(app, services, lifecycle);
  return app;
}
