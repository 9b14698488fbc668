/** The protocol's reference client, connected to the MCP server of a test app. Each answer is held against the OpenAPI document. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestApp } from "./app.ts";

/** A connected client with what tests ask of it. */
export interface TestMcpClient {
  client: Client;
  /** Returns the parsed answer of a tool. Rejects where the tool refused. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  ask(name: string, input?: Record<string, unknown>): Promise<any>;
  /** Returns the parsed refusal of a tool. Rejects where the tool did not refuse. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  refused(name: string, input?: Record<string, unknown>): Promise<any>;
}

/**
 * Connects a client.
 * @param headers credentials; default: the key of the app's team
 */
export async function connectMcpClient(
  test: Pick<TestApp, "app" | "team">,
  { headers = test.team.byKey, path = "/mcp" }: { headers?: Record<string, string>; path?: string } = {},
): Promise<TestMcpClient> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(path, "http://127.0.0.1:8080"), {
    requestInit: { headers },
    fetch: (url, init) => injected(test, new URL(url), init),
  });
  // Its optional session id is undefined, which the exact types of this project tell from absent.
  await client.connect(transport as never);
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [{ text }] = content as [{ text: string }];
    return { text, isError: isError === true };
  };
  return {
    client,
    ask: async (name, input = {}) => {
      const { text, isError } = await call(name, input);
      if (isError) throw new Error(`${name} refused: ${text}`);
      return JSON.parse(text);
    },
    refused: async (name, input = {}) => {
      const { text, isError } = await call(name, input);
      if (!isError) throw new Error(`${name} did not refuse: ${text}`);
      return JSON.parse(text);
    },
  };
}

/** Asks the app without a network. */
async function injected({ app }: Pick<TestApp, "app">, url: URL, init?: RequestInit): Promise<Response> {
  const { statusCode, headers, body } = await app.inject({
    method: (init?.method ?? "GET") as "GET",
    url: url.pathname + url.search,
    headers: Object.fromEntries(new Headers(init?.headers)),
    ...(typeof init?.body === "string" && { payload: init.body }),
  });
  return new Response([202, 204].includes(statusCode) ? null : body, {
    status: statusCode,
    headers: headers as Record<string, string>,
  });
}
