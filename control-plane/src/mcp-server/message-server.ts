/**
 * The MCP server of one message. The service keeps no sessions, so that any replica can answer any message: each gets a server of
 * its own over prepared lists, which the official SDK speaks the protocol for.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import { excerpt, parseOrInvalid, sentenceOf } from "@svc/contract";
import { VERSION } from "../platform/version.ts";
import { type ClientCall, callTool, readTool } from "./call-tool.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { listTools } from "./listed-tools.ts";
import type { Prompt } from "./prompts/prompt.ts";
import { mcpPrompts } from "./prompts/registry.ts";
import { listResources, RESOURCE_TYPE, resourceTemplates, toolOfAddress } from "./resources/resources.ts";
import { mcpTools } from "./tools/registry.ts";

/** Code of the protocol for a resource that does not exist. */
const RESOURCE_NOT_FOUND = -32002;

/** Checks nothing here: the SDK needs it for questions to people, which this server does not ask. Dear to make. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Returns the server for one message of a client. */
export function createMessageServer(call: ClientCall): Server {
  const server = new Server(
    { name: "svc", title: "svc synthetic monitoring", version: VERSION },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      jsonSchemaValidator,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools(call.access) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = mcpTools.find(params.name);
    if (!tool) throw invalidParams(`There is no tool "${excerpt(params.name)}"; tools/list names all`);
    return callTool(tool, params.arguments, call);
  });
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    orRpcError(call, () => listResources(call, params?.cursor)),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    orRpcError(call, async () => {
      const { tool, input } = toolOfAddress(uri);
      const text = await readTool(tool, input, call);
      return { contents: [{ uri, mimeType: RESOURCE_TYPE, text }] };
    }),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: mcpPrompts.members.map(listedPrompt),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    orRpcError(call, async () => {
      const prompt = mcpPrompts.find(params.name);
      if (!prompt)
        throw invalidParams(`There is no prompt "${excerpt(params.name)}"; prompts/list names all`);
      const input = parseOrInvalid(prompt.input, params.arguments ?? {}) as Record<string, string>;
      return {
        description: prompt.description,
        messages: [{ role: "user" as const, content: { type: "text" as const, text: prompt.text(input) } }],
      };
    }),
  );
  return server;
}

function listedPrompt({ type, title, description, input }: Prompt) {
  return {
    name: type,
    title,
    description,
    arguments: Object.entries(input.shape).map(([name, schema]) => ({
      name,
      description: schema.description ?? "",
      required: true,
    })),
  };
}

/** Does the work; what it throws becomes an error of the protocol. */
async function orRpcError<Answer>(call: ClientCall, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof McpError) throw error;
    const known = call.asAnswer(error);
    switch (known.code) {
      case "not_found":
        throw new McpError(RESOURCE_NOT_FOUND, known.message);
      case "unavailable":
        throw new McpError(ErrorCode.InternalError, known.message);
      default:
        throw invalidParams(sentenceOf(known));
    }
  }
}

function invalidParams(message: string): McpError {
  return new McpError(ErrorCode.InvalidParams, message);
}
