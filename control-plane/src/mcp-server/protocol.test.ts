import { MCP_MESSAGE_BYTES_MAX } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../test-support/alerting.ts";
import { connectMcpClient, type TestMcpClient } from "../../test-support/mcp-client.ts";
import { createOverviewParts } from "../overview/routes.ts";
import { mcpPrompts } from "./prompts/registry.ts";
import { registerMcpRoutes } from "./routes.ts";
import { mcpTools } from "./tools/registry.ts";

const ACCEPT = "application/json, text/event-stream";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

let test: AlertTest;
let mcp: TestMcpClient;
let checkId: string;

beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => registerMcpRoutes(app, services, createOverviewParts()),
  });
  mcp = await connectMcpClient(test);
  ({ id: checkId } = await test.newCheck({ name: "Shop" }));
});
afterAll(() => test?.close());

/** Posts a message with the team's key. */
function post(message: unknown, headers: Record<string, string> = {}, path = "/mcp") {
  return test.call("POST", path, message as never, { ...test.team.byKey, accept: ACCEPT, ...headers });
}

describe("the protocol's reference client", () => {
  it("learns name, version, capabilities and what `untrusted` means", () => {
    expect(mcp.client.getServerVersion()).toMatchObject({ name: "svc" });
    expect(mcp.client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, prompts: {} });
    expect(mcp.client.getInstructions()).toContain("`untrusted`");
  });

  it("lists every tool with a schema of its arguments and a description", async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(mcpTools.types);
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(description?.length, name).toBeGreaterThan(20);
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations?.readOnlyHint, name).toBe(mcpTools.get(name).isReading);
    }
  });

  it("lists resources and their forms, page by page, and reads them", async () => {
    for (let nth = 0; nth < 60; nth++) await test.newCheck({ name: `Check ${nth}` });
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await mcp.client.listResources({ ...(cursor && { cursor }) });
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(uris).size).toBe(62);
    expect(uris).toHaveLength(62);
    const { contents } = await mcp.client.readResource({ uri: `svc://checks/${checkId}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ check: { name: "Shop" } });
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("svc://incidents/{incidentId}");
  });

  it("gets each prompt with its arguments filled in", async () => {
    const { prompts } = await mcp.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(mcpPrompts.types);
    for (const { name, arguments: inputs = [] } of prompts) {
      const filled = Object.fromEntries(inputs.map((input) => [input.name, "the-argument"]));
      const { messages } = await mcp.client.getPrompt({ name, arguments: filled });
      const text = JSON.stringify(messages);
      if (inputs.length > 0) expect(text, name).toContain("the-argument");
      for (const [, tool = ""] of text.matchAll(/\b((?:get|list|find|explain|read)_\w+)/g))
        expect(mcpTools.types, `${name} names ${tool}`).toContain(tool);
    }
  });

  it.each([
    ["an unknown tool", () => mcp.client.callTool({ name: "drop_tables" }), -32602, 'no tool "drop_tables"'],
    ["an unknown prompt", () => mcp.client.getPrompt({ name: "poem" }), -32602, 'no prompt "poem"'],
    ["a prompt without its argument", () => mcp.client.getPrompt({ name: "triage_check" }), -32602, "check:"],
    [
      "a resource of no form",
      () => mcp.client.readResource({ uri: "file:///etc/passwd" }),
      -32002,
      "svc://overview",
    ],
    [
      "a resource that is not there",
      () => mcp.client.readResource({ uri: "svc://checks/chk_x" }),
      -32002,
      "Check not found",
    ],
    ["a bad cursor", () => mcp.client.listResources({ cursor: "x" }), -32602, "next:"],
  ])("%s is an error with the reason", async (_name, ask, code, reason) => {
    await expect(ask()).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
  });
});

describe("the transport", () => {
  it.each(["2025-03-26", "2025-06-18", "2025-11-25"])("speaks version %s", async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const { body } = await post({ ...PING, method: "initialize", params });
    expect(body.result.protocolVersion).toBe(protocolVersion);
    expect((await post(PING, { "mcp-protocol-version": protocolVersion })).body.result).toEqual({});
  });

  it("offers a version of its own to a client of another, and refuses messages in that one", async () => {
    const params = {
      protocolVersion: "1999-01-01",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    const { body } = await post({ ...PING, method: "initialize", params });
    expect(body.result.protocolVersion).toMatch(/^20\d\d-/);
    expect((await post(PING, { "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  });

  it("answers each message by itself, without a session", async () => {
    const { headers, body } = await post({ ...PING, method: "tools/list" });
    expect(headers["mcp-session-id"]).toBeUndefined();
    expect(headers["content-type"]).toContain("application/json");
    expect(body.result.tools.length).toBe(mcpTools.members.length);
  });

  it("a notification is accepted without a body", async () => {
    const answer = await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect([answer.status, answer.body]).toEqual([202, ""]);
  });

  it.each(["GET", "DELETE"] as const)("%s is answered 405 with the method that works", async (method) => {
    const { status, headers } = await test.call(method, "/mcp");
    expect([status, headers.allow]).toEqual([405, "POST"]);
  });

  it.each([
    ["a batch", [PING, PING], 400],
    ["no JSON-RPC", { hello: 1 }, 400],
    ["no JSON", "{", 400],
    ["an unknown mode", PING, 400, "/mcp?mode=write"],
    ["a message that is too large", { ...PING, params: { text: "x".repeat(MCP_MESSAGE_BYTES_MAX) } }, 413],
    [
      "one that is nested without end",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
      400,
    ],
  ])("%s is refused", async (_name, message, status, path = "/mcp") => {
    const headers = { ...test.team.byKey, accept: ACCEPT, "content-type": "application/json" };
    expect((await test.call("POST", path, message as never, headers)).status).toBe(status);
  });

  it("a client that takes no JSON is answered 406", async () => {
    expect((await post(PING, { accept: "text/html" })).status).toBe(406);
  });
});

describe("who may ask", () => {
  it("no credential, a session or a display is 401", async () => {
    const presented: Record<string, string>[] = [{}, test.team.bySession, { cookie: "svc_display=dl_x" }];
    for (const headers of presented)
      expect((await test.call("POST", "/mcp", PING, { accept: ACCEPT, ...headers })).status).toBe(401);
  });

  it.each([
    ["another site", "https://evil.example", 403],
    ["a name that leads to this address", "http://rebound.example:8080", 403],
    ["no site at all", "null", 403],
    ["the service's own pages", "http://127.0.0.1:8080", 200],
  ])("a page of %s is answered accordingly, although it has the key", async (_name, origin, status) => {
    const answer = await post(PING, { origin, host: new URL(origin === "null" ? "http://a" : origin).host });
    expect(answer.status).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("each message counts for the key's rate limit", async () => {
    const left = async () => Number((await post(PING)).headers["ratelimit-remaining"]);
    const before = await left();
    expect(await left()).toBe(before - 1);
  });
});
