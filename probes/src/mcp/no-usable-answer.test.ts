import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { aContext, expectResult } from "../../test-support/builders.ts";
import { runAgainst, runMcp } from "../../test-support/mcp-run.ts";
import {
  ADD_TOOL,
  anMcpRequest,
  ECHO_TOOL,
  INITIALIZED,
  type McpServerOptions,
  mcpServer,
} from "../../test-support/mcp-server.ts";
import { closedPort } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";

describe("no usable answer", () => {
  const raw = (contentType: string, body: string, of = "initialize"): McpServerOptions => ({
    intercept: (_, response, message) => {
      if (message?.method !== of) return false;
      response.writeHead(200, { "content-type": contentType }).end(body);
      return true;
    },
  });
  const listing = (tools: unknown): McpServerOptions => ({ answers: { "tools/list": { tools } as never } });
  /** Lists so many tools in each page, and never ends. */
  const pagesOf = (count: number): McpServerOptions => ({
    answers: {
      "tools/list": ({ cursor }) => ({
        tools: Array.from({ length: count }, (_, i) => ({ ...ADD_TOOL, name: `t${cursor ?? ""}-${i}` })),
        nextCursor: `${cursor ?? ""}x`,
      }),
    },
  });

  it.each<[string, McpServerOptions, string, RegExp]>([
    ["a web page", raw("text/html", "<h1>hi</h1>"), "protocol", /content type "text\/html"/],
    ["no JSON", raw("application/json", "{nope"), "protocol", /not JSON/],
    ["no JSON-RPC", raw("application/json", '{"hello":1}'), "protocol", /not a message of the protocol/],
    [
      "an answer to something else",
      raw("application/json", '{"jsonrpc":"2.0","id":99,"result":{}}'),
      "protocol",
      /does not answer it/,
    ],
    ["an event that is no JSON", raw("text/event-stream", "data: {nope\n\n"), "protocol", /not JSON/],
    [
      "an event that is no JSON-RPC",
      raw("text/event-stream", 'data: {"a":1}\n\n'),
      "protocol",
      /not a message/,
    ],
    [
      "a stream that ends without an answer",
      raw("text/event-stream", ": hello\n\n"),
      "protocol",
      /ended the event stream/,
    ],
    [
      "an unknown protocol version",
      { answers: { initialize: { ...INITIALIZED, protocolVersion: "1999-01-01" } } },
      "protocol",
      /protocol version is not supported/,
    ],
    [
      "a refused initialize",
      { answers: { initialize: { jsonRpcError: { code: -32603, message: "broken" } } } },
      "protocol",
      /broken/,
    ],
    [
      "a refused tools/list",
      { answers: { "tools/list": { jsonRpcError: { code: -32603, message: "broken" } } } },
      "protocol",
      /tools\/list was answered with an error: .*broken/,
    ],
    ["no list of tools", listing("none"), "protocol", /without a list of tools/],
    ["a tool without a name", listing([{ inputSchema: {} }]), "protocol", /without a name/],
    ["a tool without a schema", listing([{ name: "x" }]), "protocol", /no inputSchema for the tool "x"/],
    ["a tool that comes twice", listing([ECHO_TOOL, ECHO_TOOL]), "protocol", /"echo" twice/],
    ["more tools than anybody reads", pagesOf(3_000), "protocol", /more than 10000 tools/],
    [
      "pages without end",
      { answers: { "tools/list": ({ cursor }) => ({ tools: [], nextCursor: `${cursor}x` }) } },
      "protocol",
      /more than 100 pages/,
    ],
    [
      "pages in a circle",
      { answers: { "tools/list": { tools: [], nextCursor: "again" } } },
      "protocol",
      /"again" came twice/,
    ],
    [
      "HTTP 500 to a later request",
      {
        intercept: (_, response, message) =>
          message?.method === "tools/list" && !!response.writeHead(500).end("down"),
      },
      "http",
      /tools\/list with HTTP 500: down/,
    ],
    [
      "a redirect that loses the request",
      { intercept: (_, response) => !!response.writeHead(302, { location: "/x" }).end() },
      "http",
      /makes a GET of the request/,
    ],
    [
      "a redirect in a circle",
      { intercept: (_, response) => !!response.writeHead(307, { location: "/mcp" }).end() },
      "http",
      /more than 5 redirects/,
    ],
  ])("%s is an error of category %s", async (_, options, category, message) => {
    const { status, detail } = await runAgainst(options);
    expect({ status, category: detail?.errorCategory, message: detail?.errorMessage }).toEqual({
      status: "error",
      category,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["as they are", {}, (body: Buffer) => body],
    ["compressed", { "content-encoding": "gzip" }, gzipSync],
  ])("an answer of 11 MiB is said to be too large, not to be broken: %s", async (_, headers, encode) => {
    const { status, detail } = await runAgainst({
      intercept: (_request, response, message) => {
        if (message?.method !== "tools/list") return false;
        const answer = { jsonrpc: "2.0", id: message.id, result: { tools: [], _meta: "x".repeat(11 << 20) } };
        response.writeHead(200, { "content-type": "application/json", ...headers });
        response.end(encode(Buffer.from(JSON.stringify(answer))));
        return true;
      },
    });
    expect({ status, message: detail?.errorMessage }).toEqual({
      status: "error",
      message: expect.stringContaining("answered tools/list with a message of more than 4194304 bytes"),
    });
  });

  it("more bytes than a run takes in end it", async () => {
    const { status, detail } = await runAgainst({
      intercept: (_, response, message) => {
        if (message?.method !== "tools/list") return false;
        response.writeHead(200, { "content-type": "application/json" });
        const chunk = Buffer.alloc(1024 * 1024, " ");
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on("drain", more);
        more();
        return true;
      },
    });
    expect({ status, message: detail?.errorMessage }).toEqual({
      status: "error",
      message: expect.stringContaining("more than 33554432 bytes"),
    });
  });

  it("a server that is not there is an error of the connection, tried again by the policy", async () => {
    const endpoint = `http://127.0.0.1:${await closedPort()}/mcp`;
    const retry = {
      strategy: "fixed",
      maxRetries: 1,
      baseBackoffSeconds: 0,
      maxDurationSeconds: 60,
      sameLocation: true,
      onlyOn: "network_error",
    } as const;
    const result = await runMcp({ endpoint }, { retry });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.attempts).toHaveLength(2);
  });

  it("an address that the policy denies is an error, and nothing is sent", async () => {
    const server = await mcpServer();
    const context = aContext({ allowPrivateAddresses: false });
    const result = expectResult(await runProbe(anMcpRequest({ endpoint: server.endpoint }), context));
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(server.seen).toEqual([]);
  });

  it("a redirect to an address that the policy denies is not followed", async () => {
    const redirecting: McpServerOptions = {
      intercept: (_, response) => !!response.writeHead(307, { location: "http://169.254.169.254/mcp" }).end(),
    };
    const result = await runAgainst(redirecting, { resendBody: "any" });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/metadata/);
  });
});
