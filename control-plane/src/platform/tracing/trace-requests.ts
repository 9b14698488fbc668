/** Makes a span of each request, in the trace of its caller where that sent one. Statements and dispatches go below it. */
import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
} from "@opentelemetry/semantic-conventions";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { TRACER } from "./traceparent.ts";

/** Values of path parameters that may be shown: ids of records. Others may be secrets, such as the token of a link. */
const ID = /^[a-z]{2,12}_[0-9a-z]{1,64}$/;

/**
 * Traces the requests to a server, other than health routes and streams, which never end. Call it before other hooks are
 * added, so that their statements are in the request's span.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracer = trace.getTracer(TRACER);
  const contexts = new WeakMap<FastifyRequest, { context: Context; span: Span }>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { config, url: route = "" } = request.routeOptions;
    if (config.isUncounted || config.isStream) return done();
    const caller = propagation.extract(context.active(), request.headers);
    const name = route === "" ? request.method : `${request.method} ${route}`;
    const attributes = {
      [ATTR_HTTP_REQUEST_METHOD]: request.method,
      [ATTR_URL_SCHEME]: request.protocol,
      [ATTR_HTTP_ROUTE]: route || undefined,
      [ATTR_URL_PATH]: shownPath(route, request.params),
    };
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    const own = { span, context: trace.setSpan(caller, span) };
    contexts.set(request, own);
    context.with(own.context, done);
  });
  // A body arrives by events of the connection, which belong to no request.
  app.addHook("preValidation", (request, _reply, done) => {
    const own = contexts.get(request);
    if (own) context.with(own.context, done);
    else done();
  });
  app.addHook("onError", async (request, _reply, error) => {
    contexts.get(request)?.span.setAttribute(ATTR_ERROR_TYPE, error.code ?? error.name);
  });
  app.addHook("onResponse", (request, reply, done) => {
    end(request, reply.statusCode);
    done();
  });
  app.addHook("onRequestAbort", (request, done) => {
    end(request, undefined);
    done();
  });

  function end(request: FastifyRequest, status: number | undefined): void {
    const span = contexts.get(request)?.span;
    contexts.delete(request);
    if (status === undefined) span?.setAttribute(ATTR_ERROR_TYPE, "aborted");
    else span?.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
    // A mistake of the caller is no error of the server.
    if (status !== undefined && status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  }
}

/** Returns the path with the ids of records in it, and the names of all other parameters instead of their values. */
function shownPath(route: string, params: unknown): string {
  const values = (params ?? {}) as Record<string, unknown>;
  return route.replace(/:(\w+)/g, (parameter, name: string) => {
    const value = String(values[name] ?? "");
    return ID.test(value) ? value : parameter;
  });
}
