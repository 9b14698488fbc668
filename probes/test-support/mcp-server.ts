/**
 * An MCP server that does wrong what a test asks for. Speaks streamable HTTP by hand, so that it can break any rule of
 * it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type McpConfig, mcpConfigSchema } from "@svc/contract";
import { onTestFinished } from "vitest";
import type { ProbeRequest } from "../src/run/probe.ts";
import { closableHttpServer } from "./servers.ts";

export interface McpRequest {
  id?: number;
  method: string;
  params?: Record<string, unknown>;
}

export type Answer = Record<string, unknown> | { jsonRpcError: { code: number; message: string } };

export interface McpServerOptions {
  /** Results by method; a function gets the params. Defaults: initialize, two tools, an echo. */
  answers?: Record<string, Answer | ((params: Record<string, unknown>) => Answer)>;
  /** Default json. */
  format?: "json" | "sse";
  /** Before anything else: true when it has answered. */
  intercept?: (
    request: IncomingMessage,
    response: ServerResponse,
    message: McpRequest | undefined,
  ) => boolean;
  /** Sent with initialize, expected afterwards. */
  sessionId?: string;
}

export interface McpTestServer {
  endpoint: string;
  /** The requests that came in, such as "POST tools/list", "DELETE". */
  seen: string[];
  headers: IncomingMessage["headers"][];
  /** Closes the server before the test ends. */
  close(): void;
}

export const ECHO_TOOL = {
  name: "echo",
  description: "Says it again",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  annotations: { readOnlyHint: true },
};
export const ADD_TOOL = { name: "add", description: "Adds", inputSchema: { type: "object" } };

export const INITIALIZED = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "test-server", version: "1.2.3" },
};

const DEFAULT_ANSWERS: NonNullable<McpServerOptions["answers"]> = {
  initialize: INITIALIZED,
  "tools/list": { tools: [ECHO_TOOL, ADD_TOOL] },
  "tools/call": ({ arguments: given }) => ({
    content: [{ type: "text", text: `echo: ${(given as { text?: string } | undefined)?.text}` }],
  }),
};

export async function mcpServer(options: McpServerOptions = {}): Promise<McpTestServer> {
  const seen: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const answers = { ...DEFAULT_ANSWERS, ...options.answers };
  const { url, close } = await closableHttpServer(async (request, response) => {
    const message = await readMessage(request);
    seen.push([request.method, message?.method].filter(Boolean).join(" "));
    headers.push(request.headers);
    if (options.intercept?.(request, response, message)) return;
    if (request.method === "DELETE") return void response.writeHead(200).end();
    if (request.method !== "POST" || !message) return void response.writeHead(405).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const answer = answers[message.method];
    const made = typeof answer === "function" ? answer(message.params ?? {}) : answer;
    const session: Record<string, string> =
      options.sessionId === undefined ? {} : { "mcp-session-id": options.sessionId };
    const unknown = { jsonRpcError: { code: -32601, message: "Method not found" } };
    reply(response, message, made ?? unknown, { format: options.format, headers: session });
  });
  let isOpen = true;
  const closeOnce = () => {
    if (isOpen) close();
    isOpen = false;
  };
  onTestFinished(closeOnce);
  return { endpoint: `${url}/mcp`, seen, headers, close: closeOnce };
}

export interface ReplyOptions extends Pick<McpServerOptions, "format"> {
  headers?: Record<string, string>;
}

/** Answers a request as JSON or as one event. */
export function reply(
  response: ServerResponse,
  { id }: McpRequest,
  answer: Answer,
  { format = "json", headers = {} }: ReplyOptions = {},
): void {
  const outcome =
    "jsonRpcError" in answer && answer.jsonRpcError ? { error: answer.jsonRpcError } : { result: answer };
  const text = JSON.stringify({ jsonrpc: "2.0", id, ...outcome });
  if (format === "json")
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(text);
  else
    response
      .writeHead(200, { "content-type": "text/event-stream", ...headers })
      .end(`event: message\ndata: ${text}\n\n`);
}

async function readMessage(request: IncomingMessage): Promise<McpRequest | undefined> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text === "" ? undefined : (JSON.parse(text) as McpRequest);
}

/** A run of an MCP check; the configuration as the contract completes it. */
export function anMcpRequest(
  config: { endpoint: string } & Record<string, unknown>,
  request: Partial<ProbeRequest> = {},
): ProbeRequest {
  const completed: McpConfig = mcpConfigSchema.parse(config);
  return {
    checkId: "chk_test",
    type: "mcp",
    config: completed,
    retry: null,
    slotMs: 0,
    frequencySeconds: 60,
    ...request,
  };
}
