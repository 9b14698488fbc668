/** Registers the routes of the MCP server. */
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { DomainError, MCP_MESSAGE_BYTES_MAX, mcpRoutes } from "@svc/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiApp } from "../platform/http/api.ts";
import { asDomainError } from "../platform/http/error-handler.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import type { ClientCall } from "./call-tool.ts";
import { createMessageServer } from "./message-server.ts";
import { mcpTools } from "./tools/registry.ts";
import type { ToolParts } from "./tools/tool.ts";

/** Headers of a message that the protocol looks at. */
const PROTOCOL_HEADERS = ["accept", "content-type", "mcp-protocol-version"] as const;
/** Address that the SDK is given; it answers by the message and its headers alone. */
const MESSAGE_URL = "http://mcp.invalid/mcp";

/** Registers the MCP server. */
export function registerMcpRoutes(app: ApiApp, services: Services, parts: ToolParts): void {
  serve(app, mcpRoutes.call, {
    bodyLimit: MCP_MESSAGE_BYTES_MAX,
    readsOnly: ({ body }) => !isChange(body),
    handler: async (request, reply) => {
      const call: ClientCall = {
        ctx: contextOf(services, request),
        parts,
        access: { role: request.caller.role, isReadMode: request.query.mode === "read" },
        asAnswer: (error) => answerOf(error, request),
      };
      return answerMessage(request, reply, call);
    },
  });

  serve(app, mcpRoutes.refuseGet, { handler: refuseMethod, exposeHeadRoute: false });
  serve(app, mcpRoutes.refuseDelete, refuseMethod);
}

/** True for a call of a tool that changes something. */
function isChange(body: {
  method?: string | undefined;
  params?: Record<string, unknown> | undefined;
}): boolean {
  if (body?.method !== "tools/call") return false;
  const name = body.params?.name;
  return typeof name === "string" && mcpTools.find(name)?.isReading === false;
}

async function answerMessage(
  request: Pick<FastifyRequest, "headers" | "body">,
  reply: FastifyReply,
  call: ClientCall,
): Promise<FastifyReply> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  // Neither is closed: they hold nothing beyond this message, and an end would cost as much as the message.
  await createMessageServer(call).connect(transport);
  const headers = new Headers();
  for (const name of PROTOCOL_HEADERS) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  // The parts of a Request that the transport reads; a whole one would bring a signal and a stream, which are dear.
  const message = { method: "POST", url: MESSAGE_URL, headers } as Request;
  const answer = await transport.handleRequest(message, { parsedBody: request.body });
  void reply.code(answer.status);
  // A notification has no reply.
  if (answer.status === 202) return reply.send();
  return reply.type("application/json; charset=utf-8").send(await answer.text());
}

/** Returns the error that the caller may see. What is a fault of the service is logged, and answered without its text. */
function answerOf(error: unknown, request: FastifyRequest): DomainError {
  const known = error instanceof Error ? asDomainError(error, request) : undefined;
  if (known) return known;
  request.log.error(
    { err: error, method: request.method, route: request.routeOptions.url },
    "MCP message failed",
  );
  return new DomainError(
    "unavailable",
    `Internal error; the service's log has the details (request ${request.id})`,
  );
}

async function refuseMethod(_request: unknown, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(405)
    .header("allow", "POST")
    .send({ error: "The MCP server keeps no sessions and opens no streams; send each message by POST" });
}
