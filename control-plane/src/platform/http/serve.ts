/** Registers routes from their definitions in the contract, so that service, reference and client can't differ. */
import { errorSchema, type RouteAnswer, type RouteDefinition, type RouteInput } from "@svc/contract";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import * as z from "zod";
import type { Services } from "../services.ts";
import type { Author, TeamContext } from "../team-context.ts";
import type { ApiApp } from "./api.ts";
import { actorIdOf } from "./caller.ts";
import { originOf } from "./origin.ts";
import { etagOf, type VersionedRecord } from "./record-version.ts";
import { readingWhereAllowed } from "./report-reads.ts";
import { isRead } from "./request-seats.ts";

/**
 * A request whose parameters, query and body were validated by the route's schemas.
 * @typeParam Body type of the body where the service's own validator makes something else of it than the route's schema does
 */
export type ServedRequest<Route extends RouteDefinition, Body = RouteInput<Route>["body"]> = FastifyRequest<{
  Params: RouteInput<Route>["params"];
  Querystring: RouteInput<Route>["query"];
  Body: Body;
}>;

/** Answers a route: returns the body of a success, or answers through `reply` and returns it. */
export type RouteHandler<Route extends RouteDefinition, Body = RouteInput<Route>["body"]> = (
  request: ServedRequest<Route, Body>,
  reply: FastifyReply,
) => Promise<RouteAnswer<Route> | FastifyReply>;

/** A handler with settings that concern the service alone, such as the size of a body. */
export interface ConfiguredHandler<Route extends RouteDefinition, Body = RouteInput<Route>["body"]>
  extends Pick<RouteOptions, "bodyLimit" | "validatorCompiler" | "exposeHeadRoute"> {
  handler: RouteHandler<Route, Body>;
  /** True when the handler waits for a thread or for somebody else's server most of its time, without a connection. */
  waitsElsewhere?: true;
  /** Tells whether a request only reads, where the route's method does not. */
  readsOnly?: (request: ServedRequest<Route, Body>) => boolean;
  /** True when an answer takes as long as the client stays, so that its time says nothing of the service. */
  isStream?: true;
}

/** Registers a route: its path, access, schemas and documentation come from the definition. */
export function serve<Route extends RouteDefinition, Body = RouteInput<Route>["body"]>(
  app: ApiApp,
  route: Route,
  handlerOrConfigured: RouteHandler<Route, Body> | ConfiguredHandler<Route, Body>,
): void {
  const { handler, waitsElsewhere, readsOnly, isStream, ...settings } =
    typeof handlerOrConfigured === "function" ? { handler: handlerOrConfigured } : handlerOrConfigured;
  const {
    method,
    path: url,
    access,
    forDisplays,
    tag,
    summary,
    description,
    params,
    query: querystring,
    body,
  } = route;
  const response = answersOf(route);
  const headers = route.acceptsIfMatch && ifMatchSchema;
  const inputs = Object.entries({ description, params, querystring, body, headers }).filter(
    ([, given]) => given,
  );
  app.route({
    ...settings,
    method,
    url,
    config: {
      access,
      ...(forDisplays && { forDisplays }),
      ...(waitsElsewhere && { waitsElsewhere }),
      ...(readsOnly && { readsOnly: readsOnly as (request: FastifyRequest) => boolean }),
      ...(isStream && { isStream }),
    },
    schema: {
      tags: [tag],
      summary,
      ...Object.fromEntries(inputs),
      ...(Object.keys(response).length > 0 && { response }),
    },
    // Fastify's types know the schemas of one route at a time; the definition's own types are held by RouteHandler.
    handler: async (request, reply) => {
      const answer = await readingWhereAllowed(request, route.isReport, () =>
        handler(request as ServedRequest<Route, Body>, reply.code(route.status ?? 200)),
      );
      const record = route.versioned && (answer as Record<string, unknown>)[route.versioned];
      if (record) void reply.header("etag", etagOf(record as VersionedRecord));
      return answer;
    },
  });
}

/** The header by which a change names the versions of the record that it may replace. */
const ifMatchSchema = z.looseObject({
  "if-match": z
    .string()
    .max(1024)
    .optional()
    .describe("ETag of the record as it was read: when it was changed since, the answer is 412."),
});

const fileSchema = z.string().meta({ format: "binary" });

/** Returns the schemas of a route's answers, by status. A file may be answered in part. */
function answersOf({
  status = 200,
  answer,
  fileTypes,
  events,
  pageStatuses = [],
  otherAnswers = {},
}: RouteDefinition): Record<number, unknown> {
  const file = fileTypes && {
    content: Object.fromEntries(fileTypes.map((type) => [type, { schema: fileSchema }])),
  };
  const page = {
    description: "A page that says why, or an error",
    content: { "text/html": { schema: fileSchema }, "application/json": { schema: errorSchema } },
  };
  return {
    ...Object.fromEntries(pageStatuses.map((failure) => [failure, page])),
    ...(answer && { [status]: answer }),
    ...(file && {
      200: { description: "The file", ...file },
      206: { description: "Part of the file", ...file },
    }),
    ...otherAnswers,
    ...(events && { 200: eventsAnswer(events, otherAnswers[200]) }),
  };
}

/** @param whole body of the answer to those who want no stream; undefined: there is none */
function eventsAnswer(events: z.ZodType, whole: z.ZodType | undefined) {
  const ofEvents = { "text/event-stream": { schema: events } };
  return whole
    ? {
        description: "The answer, or a stream of events",
        content: { "application/json": { schema: whole }, ...ofEvents },
      }
    : { description: "A stream of events", content: ofEvents };
}

/**
 * Returns the context of a verb that this request calls: its team, its author and the way of the call, and
 * the database connections for the request.
 */
export function contextOf(
  services: Services,
  request: Pick<FastifyRequest, "caller" | "headers" | "ip" | "method" | "routeOptions" | "standbyServices">,
): TeamContext {
  const { reading = services } = services;
  return {
    services: isRead(request) ? (request.standbyServices ?? reading) : services,
    teamId: request.caller.teamId,
    author: authorOf(request),
    ifMatch: request.headers["if-match"],
  };
}

/** Returns the author of a request: a person in the dashboard, a screen that shows the wall, a key, or the command line's deploy by its key. */
export function authorOf(request: Pick<FastifyRequest, "caller" | "headers" | "ip">): Author {
  const { caller, headers } = request;
  const actor = actorIdOf(caller);
  if (caller.kind !== "api_key") return { source: "ui", actor, origin: originOf(request, "ui") };
  return {
    source: headers["x-svc-source"] === "yaml" ? "yaml" : "api",
    actor,
    origin: originOf(request, "key"),
  };
}
