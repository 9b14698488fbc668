import type { McpSurface } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { runAgainst, runMcp } from "../../test-support/mcp-run.ts";
import {
  ADD_TOOL,
  ECHO_TOOL,
  INITIALIZED,
  type McpServerOptions,
  mcpServer,
} from "../../test-support/mcp-server.ts";

describe.each(["json", "sse"] as const)("a run against a server that answers with %s", (format) => {
  it("initializes, lists the tools, calls the configured ones and ends the session", async () => {
    const server = await mcpServer({ format, sessionId: "s-1" });
    const result = await runMcp({
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
    const result = await runMcp({ endpoint: server.endpoint, expectedTools: ["echo", "add"] });
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
