/** Registers routes from their definitions in the contract, so that service, reference and client can't differ. */
import type { RouteAnswer, RouteDefinition, RouteInput } from "@svc/contract";
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteOptions } from "fastify";
import type { Services } from "../services.ts";
import type { Author, TeamContext } from "../team-context.ts";
import type { ApiApp } from "./api.ts";

/** A request whose parameters, query and body were validated by the route's schemas. */
type ServedRequest<Route extends RouteDefinition> = Omit<FastifyRequest, "params" | "query" | "body"> &
  RouteInput<Route>;

/** Answers a route: returns the body of a success, or answers through `reply` and returns it. */
export type RouteHandler<Route extends RouteDefinition> = (
  request: ServedRequest<Route>,
  reply: FastifyReply,
) => Promise<RouteAnswer<Route> | FastifyReply>;

/** A handler with settings that concern the service alone, such as the size of a body. */
export interface ConfiguredHandler<Route extends RouteDefinition>
  extends Pick<RouteOptions, "bodyLimit" | "validatorCompiler" | "exposeHeadRoute"> {
  handler: RouteHandler<Route>;
}

/** Registers a route: its path, access, schemas and documentation come from the definition. */
export function serve<Route extends RouteDefinition>(
  app: ApiApp,
  route: Route,
  handlerOrConfigured: RouteHandler<Route> | ConfiguredHandler<Route>,
): void {
  const { handler, ...settings } =
    typeof handlerOrConfigured === "function" ? { handler: handlerOrConfigured } : handlerOrConfigured;
  const { method, path: url, access, tag, summary, description, status = 200, answer, otherAnswers } = route;
  const { params, query: querystring, body } = route;
  const inputs = Object.entries({ description, params, querystring, body }).filter(([, given]) => given);
  app.route({
    ...settings,
    method,
    url,
    ...(access && { config: { access } }),
    schema: {
      tags: [tag],
      summary,
      ...Object.fromEntries(inputs),
      ...(answer && { response: { [status]: answer, ...otherAnswers } }),
    },
    // Fastify's types know the schemas of one route at a time; the definition's own types are held by RouteHandler.
    handler: ((request: ServedRequest<Route>, reply: FastifyReply) =>
      handler(request, reply.code(status))) as unknown as RouteHandlerMethod,
  });
}

/** Returns the context of a verb that this request calls: its team, and who asks by what way. */
export function contextOf(
  services: Services,
  request: Pick<FastifyRequest, "caller" | "headers">,
): TeamContext {
  return { services, teamId: request.caller.teamId, author: authorOf(request) };
}

/** Returns the author of a request: a person in the dashboard, a key, or the command line's deploy by its key. */
function authorOf({ caller, headers }: Pick<FastifyRequest, "caller" | "headers">): Author {
  if (caller.kind === "session") return { source: "ui", actor: caller.userId };
  return { source: headers["x-svc-source"] === "yaml" ? "yaml" : "api", actor: caller.apiKeyId };
}
