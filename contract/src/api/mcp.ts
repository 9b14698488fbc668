/** Routes of the service's own MCP server. Its messages are JSON-RPC and described by the Model Context Protocol, not here. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { defineRoute } from "./route.ts";

/** Largest message that the MCP server reads, bytes. */
export const MCP_MESSAGE_BYTES_MAX = 256 * 1024;

const tag = "MCP";
const access = "key_reads";
const path = "/mcp";

const messageIdSchema = z.union([z.string(), z.number()]);

const messageSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: messageIdSchema.optional(),
    method: z.string().max(200).optional(),
    params: z.looseObject({}).optional(),
  })
  .describe("One JSON-RPC message; batches are refused.");

const replySchema = z
  .looseObject({ jsonrpc: z.literal("2.0"), id: messageIdSchema.nullish() })
  .describe("The JSON-RPC reply to the request.");

/** Methods of the transport that exist only where a server keeps sessions. */
const withoutSession = <const Method extends "GET" | "DELETE">(method: Method, summary: string) =>
  defineRoute({
    method,
    path,
    access,
    tag,
    summary,
    otherAnswers: { 405: errorSchema },
  });

/** Routes of the MCP server, by operation. */
export const mcpRoutes = {
  call: defineRoute({
    method: "POST",
    path,
    access,
    tag,
    summary: "Send a message to the MCP server",
    description:
      "Streamable HTTP without sessions: each request is complete, and its reply is JSON. API keys only; a request with another site's `Origin` is refused.",
    query: z.object({
      mode: z
        .enum(["read"])
        .optional()
        .describe("read: the tools that change something are neither listed nor carried out."),
    }),
    body: messageSchema,
    answer: replySchema,
    otherAnswers: {
      202: z.null().describe("A notification; it has no reply"),
      400: z.union([errorSchema, replySchema]),
      406: replySchema,
    },
  }),
  refuseGet: withoutSession("GET", "Answers 405: the MCP server opens no streams of its own"),
  refuseDelete: withoutSession("DELETE", "Answers 405: the MCP server keeps no sessions"),
};
