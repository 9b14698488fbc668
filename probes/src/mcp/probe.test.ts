import { gzipSync } from "node:zlib";
import type { McpSurface } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aContext, expectFault, expectResult } from "../../test-support/builders.ts";
import {
  ADD_TOOL,
  anMcpRequest,
  ECHO_TOOL,
  INITIALIZED,
  type McpServerOptions,
  mcpServer,
  reply,
} from "../../test-support/mcp-server.ts";
import { closedPort } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { BodyBudget } from "../run/body-budget.ts";
import type { RunResult } from "../run/outcome.ts";
import type { ProbeRequest } from "../run/probe.ts";

async function run(
  config: { endpoint: string } & Record<string, unknown>,
  request: Partial<ProbeRequest> = {},
): Promise<RunResult> {
  return expectResult(await runProbe(anMcpRequest(config, request), aContext()));
}

async function runAgainst(
  options: McpServerOptions,
  config: Record<string, unknown> = {},
): Promise<RunResult> {
  const { endpoint } = await mcpServer(options);
  return run({ endpoint, ...config });
}

describe.each(["json", "sse"] as const)("a run against a server that answers with %s", (format) => {
  it("initializes, lists the tools, calls those it is told to and ends the session", async () => {
    const server = await mcpServer({ format, sessionId: "s-1" });
    const result = await run({
      endpoint: server.endpoint,
      expectedTools: ["echo"],
      testCalls: [{ toolName: "echo", arguments: { text: "hello" }, expectedOutputContains: "hello" }],
    });
    expect(result).toMatchObject({
      status: "success",
      httpStatusCode: 200,
      detail: {
        mcpJson: {
          server: { name: "test-server", version: "1.2.3", protocolVersion: "2025-06-18" },
          toolCount: 2,
          testCalls: [{ toolName: "echo", passed: true, outputPreview: "echo: hello" }],
        },
      },
    });
    expect(server.seen).toEqual([
      "POST initialize",
      "POST notifications/initialized",
      "POST tools/list",
      "POST tools/call",
      "DELETE",
    ]);
    expect(server.headers[4]?.["mcp-session-id"]).toBe("s-1");
    expect(server.headers[2]?.["mcp-protocol-version"]).toBe("2025-06-18");
    for (const headers of server.headers) expect(headers.traceparent).toContain(result.traceId);
  });

  it("takes the tools of all pages", async () => {
    const server = await mcpServer({
      format,
      answers: {
        "tools/list": ({ cursor }) =>
          cursor === "2" ? { tools: [ADD_TOOL] } : { tools: [ECHO_TOOL], nextCursor: "2" },
      },
    });
    const result = await run({ endpoint: server.endpoint, expectedTools: ["echo", "add"] });
    expect(result.status).toBe("success");
    expect(result.detail?.mcpJson?.toolCount).toBe(2);
  });
});

describe("rules", () => {
  it.each<[string, McpServerOptions, Record<string, unknown>, RegExp]>([
    ["an expected tool that is not there", {}, { expectedTools: ["echo", "drop"] }, /does not offer drop/],
    [
      "a tool that fails",
      { answers: { "tools/call": { isError: true, content: [{ type: "text", text: "no disk" }] } } },
      { testCalls: [{ toolName: "echo" }] },
      /testCalls\[0\] echo: the tool failed: no disk/,
    ],
    [
      "a call that is refused",
      { answers: { "tools/call": { jsonRpcError: { code: -32602, message: "Unknown tool" } } } },
      { testCalls: [{ toolName: "none" }] },
      /refused: .*Unknown tool/,
    ],
    [
      "an output without what is expected",
      {},
      { testCalls: [{ toolName: "echo", arguments: { text: "a" }, expectedOutputContains: "b" }] },
      /does not contain "b"/,
    ],
    [
      "tools expected of a server that has none to offer",
      { answers: { initialize: { ...INITIALIZED, capabilities: {} } } },
      { expectedTools: ["echo"] },
      /does not offer echo/,
    ],
  ])("%s fails the run", async (_, options, config, message) => {
    const result = await runAgainst(options, config);
    expect(result.status).toBe("failure");
    expect(result.detail).toMatchObject({
      errorCategory: "assertion",
      errorMessage: expect.stringMatching(message),
    });
  });

  it("every test call is made, also after one that failed", async () => {
    const testCalls = [{ toolName: "echo", expectedOutputContains: "x" }, { toolName: "echo" }];
    const { detail } = await runAgainst({}, { testCalls });
    expect(detail?.mcpJson?.testCalls).toMatchObject([{ passed: false }, { passed: true }]);
  });

  it("structured content counts as output", async () => {
    const answers = { "tools/call": { content: [], structuredContent: { sum: 42 } } };
    const testCalls = [{ toolName: "add", expectedOutputContains: '"sum":42' }];
    expect((await runAgainst({ answers }, { testCalls })).status).toBe("success");
  });
});

describe("credentials", () => {
  const auth = { type: "bearer", token: "secret" };
  const guarded = (statusCode: number): McpServerOptions => ({
    intercept: (request, response) => {
      if (request.headers.authorization === "Bearer secret") return false;
      response.writeHead(statusCode).end();
      return true;
    },
  });

  it("are sent with every request", async () => {
    const server = await mcpServer({ sessionId: "s", ...guarded(401) });
    expect((await run({ endpoint: server.endpoint, auth })).status).toBe("success");
    expect(server.headers.every(({ authorization }) => authorization === "Bearer secret")).toBe(true);
  });

  it("that are refused are an error that names the status", async () => {
    const { status, httpStatusCode, detail } = await runAgainst(guarded(401));
    expect({ status, httpStatusCode }).toEqual({ status: "error", httpStatusCode: 401 });
    expect(detail).toMatchObject({
      errorCategory: "http",
      errorMessage: expect.stringContaining("initialize with HTTP 401"),
    });
  });

  it.each([
    [401, "success"],
    [403, "success"],
    [500, "failure"],
    [302, "failure"],
  ])("rejectUnauthenticated: initialize without them answered %i is a %s", async (statusCode, status) => {
    const result = await runAgainst(guarded(statusCode), { auth, rejectUnauthenticated: true });
    expect(result.status).toBe(status);
    expect(result.detail?.mcpJson?.unauthenticated).toEqual({
      httpStatusCode: statusCode,
      passed: status === "success",
    });
  });

  it("rejectUnauthenticated: a server that lets everybody in fails", async () => {
    const server = await mcpServer();
    const result = await run({ endpoint: server.endpoint, auth, rejectUnauthenticated: true });
    expect(result.status).toBe("failure");
    expect(result.detail?.errorMessage).toMatch(/without credentials was answered with HTTP 200/);
    expect(server.headers.filter(({ authorization }) => authorization === undefined)).toHaveLength(1);
  });

  it("in the URL are not sent when there must be none", async () => {
    const server = await mcpServer();
    const endpoint = server.endpoint.replace("http://", "http://user:pass@");
    await run({ endpoint, auth, rejectUnauthenticated: true });
    expect(server.headers.filter(({ authorization }) => authorization === undefined)).toHaveLength(1);
  });

  it("stay behind when a redirect leaves the origin", async () => {
    const elsewhere = await mcpServer();
    const first = await mcpServer({
      intercept: (_, response) => {
        response.writeHead(307, { location: elsewhere.endpoint }).end();
        return true;
      },
    });
    expect((await run({ endpoint: first.endpoint, auth })).status).toBe("success");
    expect(first.headers[0]?.authorization).toBe("Bearer secret");
    expect(elsewhere.headers.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

describe("no usable answer", () => {
  const raw = (contentType: string, body: string, of = "initialize"): McpServerOptions => ({
    intercept: (_, response, message) => {
      if (message?.method !== of) return false;
      response.writeHead(200, { "content-type": contentType }).end(body);
      return true;
    },
  });
  const listing = (tools: unknown): McpServerOptions => ({ answers: { "tools/list": { tools } as never } });

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
    [
      "more tools than anybody reads",
      listing(Array.from({ length: 10_001 }, (_, i) => ({ ...ADD_TOOL, name: `t${i}` }))),
      "protocol",
      /more than 10000 tools/,
    ],
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
      message: expect.stringContaining("answered tools/list with more than 10485760 bytes"),
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
    const result = await run({ endpoint }, { retry });
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
    const result = await runAgainst({
      intercept: (_, response) => !!response.writeHead(307, { location: "http://169.254.169.254/mcp" }).end(),
    });
    expect(result).toMatchObject({ status: "error", detail: { errorCategory: "connect" } });
    expect(result.detail?.errorMessage).toMatch(/metadata/);
  });
});

describe("time", () => {
  const hanging = (of: string, head: boolean): McpServerOptions => ({
    intercept: (_, response, message) => {
      if (message?.method !== of) return false;
      if (head) response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n");
      return true;
    },
  });

  it.each([
    ["initialize", false, /waiting for the response \(initialize\)/],
    ["tools/list", true, /reading the response body \(tools\/list\)/],
    ["tools/call", true, /the call of the tool echo/],
  ])("a %s that hangs (stream begun: %s) is a timeout that says where", async (method, head, message) => {
    const { endpoint } = await mcpServer(hanging(method, head));
    const request = anMcpRequest({ endpoint, testCalls: [{ toolName: "echo" }] });
    (request.config as { timeoutMs: number }).timeoutMs = 300;
    const result = expectResult(await runProbe(request, aContext()));
    expect(result).toMatchObject({ status: "timeout", detail: { errorCategory: "timeout" } });
    expect(result.detail?.errorMessage).toMatch(message);
  });

  it("a stream that stays open after its answer holds nobody up", async () => {
    const result = await runAgainst({
      intercept: (_, response, message) => {
        if (message?.method !== "tools/list") return false;
        const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools: [] } });
        response.writeHead(200, { "content-type": "text/event-stream" }).write(`data: ${answer}\n\n`);
        return true;
      },
    });
    expect(result.status).toBe("success");
  });

  it("a stream that ends early is resumed where the server named a place", async () => {
    let resumedFrom: string | undefined;
    const result = await runAgainst({
      intercept: (request, response, message) => {
        const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: [ECHO_TOOL] } });
        if (request.method === "GET") {
          resumedFrom = request.headers["last-event-id"] as string;
          response.writeHead(200, { "content-type": "text/event-stream" }).end(`id: 8\ndata: ${answer}\n\n`);
        } else if (message?.method === "tools/list")
          response.writeHead(200, { "content-type": "text/event-stream" }).end("id: 7\nretry: 10\ndata:\n\n");
        else return false;
        return true;
      },
    });
    expect(resumedFrom).toBe("7");
    expect(result).toMatchObject({ status: "success", detail: { mcpJson: { toolCount: 1 } } });
  });

  it("a session that can't be ended decides nothing", async () => {
    const result = await runAgainst({
      sessionId: "s",
      intercept: (request, response) => request.method === "DELETE" && !!response.writeHead(500).end(),
    });
    expect(result.status).toBe("success");
  });

  it("a stop of the agent is a fault, not a result", async () => {
    const { endpoint } = await mcpServer(hanging("tools/list", false));
    const stop = new AbortController();
    const outcome = runProbe(anMcpRequest({ endpoint }), aContext({ signal: stop.signal }));
    setTimeout(() => stop.abort(), 50);
    expect(expectFault(await outcome).reason).toBe("draining");
  });

  it("no room for the answer is a fault of this runner, not the server's", async () => {
    const { endpoint } = await mcpServer();
    const outcome = await runProbe(anMcpRequest({ endpoint }), aContext({ bodyBudget: new BodyBudget(100) }));
    expect(expectFault(outcome).reason).toBe("capacity");
  });

  it("a connection that the server closed while it was idle is opened again", async () => {
    const server = await mcpServer({
      intercept: (request, response, message) => {
        if (message?.method !== "initialize") return false;
        reply(response, message, INITIALIZED);
        response.on("finish", () => request.socket.destroy());
        return true;
      },
    });
    expect((await run({ endpoint: server.endpoint })).status).toBe("success");
  });
});

describe("facts", () => {
  it("say what the server offers, in an order of their own", async () => {
    const { facts } = await runAgainst({});
    const reordered = await runAgainst({ answers: { "tools/list": { tools: [ADD_TOOL, ECHO_TOOL] } } });
    const toolsOf = (mcp: unknown) => (mcp as McpSurface).tools;
    expect(toolsOf(reordered.facts?.mcp)).toEqual(toolsOf(facts?.mcp));
    expect(toolsOf(facts?.mcp).map(({ name }) => name)).toEqual(["add", "echo"]);
  });

  it("are there although a rule is broken, and not when the tools are not all known", async () => {
    expect((await runAgainst({}, { expectedTools: ["none"] })).facts?.mcp).toBeDefined();
    const answers = {
      "tools/list": ({ cursor }: Record<string, unknown>) =>
        cursor ? { jsonRpcError: { code: 1, message: "x" } } : { tools: [ECHO_TOOL], nextCursor: "2" },
    };
    expect((await runAgainst({ answers })).facts?.mcp).toBeUndefined();
  });

  it("are not gathered when nobody asks for drift", async () => {
    expect((await runAgainst({}, { detectSchemaDrift: false })).facts).toBeUndefined();
  });
});
