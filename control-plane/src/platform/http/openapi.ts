/** Serves the API's description, OpenAPI 3.1, built from the schemas that validate, and a page that renders it offline. */
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { type Access, accessRuleOf } from "@svc/contract";
import type { FastifySchema, RouteOptions } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { ApiApp } from "./api.ts";

const DOCUMENT_PATH = "/api/openapi.json";
/** Path of the page that renders the API's description. */
export const REFERENCE_PATH = "/docs";

type Json = Record<string, unknown>;

const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer", description: "A team's API key: sk_ and 64 hexadecimal digits." },
  session: { type: "apiKey", in: "cookie", name: "svc_session", description: "A dashboard session." },
  display: { type: "apiKey", in: "cookie", name: "svc_display", description: "A screen's display session." },
  runner: { type: "http", scheme: "bearer", description: "A runner key (rk_...) or a dispatch token." },
} as const;

const SECURITY: Record<ReturnType<typeof accessRuleOf>["credentials"], Record<string, string[]>[]> = {
  "key or session": [{ apiKey: [] }, { session: [] }],
  key: [{ apiKey: [] }],
  session: [{ session: [] }],
  display: [{ display: [] }],
  runner: [{ runner: [] }],
  none: [],
};

const ERROR_DESCRIPTIONS: Record<number, string> = {
  400: "Validation failed: everything wrong at once, by field",
  401: "Missing, invalid or revoked credentials",
  403: "Not allowed: the plan's limit, the role of the caller, or a dashboard session is needed",
  404: "No such record, or it is another team's",
  408: "The request took too long to arrive",
  412: "The record was changed since the version that If-Match names",
  413: "The body is too large",
  414: "A part of the path is longer than any id",
  415: "The body is not application/json",
  429: "Rate limit exceeded; Retry-After says when to try again",
  500: "A fault of the service, whose log has the details",
  503: "The database is not available at the moment; Retry-After says when to try again",
};

/** Registers the document and the page. Call it before the routes are registered, so that it sees them all. */
export async function describeApi(app: ApiApp, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Synthetic monitoring",
        version: "1",
        description:
          "Checks that run on a schedule from named locations, and their results. One key, one team.",
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: (route) => {
      const transformed = jsonSchemaTransform(route);
      return { ...transformed, schema: describeRoute(transformed.schema, route.route) };
    },
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(swaggerUi, { routePrefix: REFERENCE_PATH, staticCSP: true });
  // Anybody may ask for the document, so it is made once.
  let text: string | undefined;
  app.decorate("apiDescription", () => {
    text ??= JSON.stringify(app.swagger());
    return text;
  });
  app.get(DOCUMENT_PATH, { config: { access: "public" }, schema: { hide: true } }, (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(app.apiDescription()),
  );
}

function describeRoute(schema: FastifySchema | undefined, route: RouteOptions): FastifySchema {
  const access: Access = route.config?.access ?? "public";
  const { credentials, role } = accessRuleOf(access);
  const isForDisplays = route.config?.forDisplays && credentials !== "display";
  const described: Json = {
    tags: [tagOf(route.url)],
    security: [...SECURITY[credentials], ...(isForDisplays ? SECURITY.display : [])],
    ...(role && { "x-svc-role": role }),
    ...schema,
  };
  const statuses = errorStatuses(described, route, access);
  const errors = Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: ERROR_DESCRIPTIONS[status], $ref: "#/components/schemas/Error" },
    ]),
  );
  described.response = { ...errors, ...(described.response as Json | undefined) };
  return described as FastifySchema;
}

function errorStatuses(schema: Json, route: RouteOptions, access: Access): number[] {
  if (route.config?.isUncounted) return [];
  const statuses = [429, 500, 503];
  if (schema.body || schema.querystring || schema.params) statuses.push(400);
  if (schema.body) statuses.push(408, 413, 415);
  if (schema.headers) statuses.push(412);
  if (access !== "public") statuses.push(401, 403);
  if (route.url.includes("/:")) statuses.push(404, 414);
  return statuses;
}

/** Returns the heading of a route that names none: the first segment of its path below /api, as words. */
function tagOf(url: string): string {
  const [first = "", second = ""] = url.split("/").filter(Boolean);
  const words = (first === "api" ? second : "operations").replaceAll("-", " ").replace(/^api\b/, "API");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
