import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Check, FeedEvent, Result } from "@svc/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startReferenceMcpServer } from "../harness/mcp-server.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeEach(async () => {
  stack = await startTestStack();
});
afterEach(() => stack[Symbol.asyncDispose](), 60_000);

/** A server whose tools a test changes. */
async function startChangingServer() {
  const tools = [{ name: "first", inputSchema: { type: "object" } }];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, method } = JSON.parse(text || "{}");
    if (id === undefined) return void response.writeHead(202).end();
    const initialized = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "changing", version: "1" },
    };
    const result = method === "initialize" ? initialized : { tools };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { endpoint, tools, close: () => server.closeAllConnections() ?? server.close() };
}

async function createMcpCheck(
  controlPlane: ControlPlane,
  locationId: string,
  mcpConfig: Record<string, unknown>,
): Promise<Check> {
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "MCP",
    type: "mcp",
    frequencySeconds: 3600,
    locations: [locationId],
    mcpConfig,
  });
  return check;
}

/** The newest result, once there are `count`. */
function newestOf(controlPlane: ControlPlane, check: Check, count: number): Promise<Result> {
  return until(`the check has ${count} results`, async () => {
    const { results } = await controlPlane.ok<{ results: Result[] }>(
      "GET",
      `/api/checks/${check.id}/results?detail=true`,
    );
    return results.length >= count ? results[0] : undefined;
  });
}

test("the reference server is initialized, its tools listed and called, and its session ended", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "mcp");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const { endpoint, process } = await startReferenceMcpServer();
  try {
    const check = await createMcpCheck(controlPlane, locationId, {
      endpoint,
      expectedTools: ["echo"],
      testCalls: [{ toolName: "echo", arguments: { message: "hello" }, expectedOutputContains: "hello" }],
    });
    const result = await newestOf(controlPlane, check, 1);
    expect({ status: result.status, error: result.errorMessage }).toEqual({ status: "success", error: null });
    expect(result.mcpJson?.toolCount).toBeGreaterThan(5);
    expect(result.mcpJson?.testCalls).toMatchObject([{ toolName: "echo", passed: true }]);
    expect(result.mcpSchemaDrift).toBeNull();
  } finally {
    await process.kill9();
  }
});

test("a tool that appears is reported once, in the result and in the feed", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "mcp");
  stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const server = await startChangingServer();
  try {
    const check = await createMcpCheck(controlPlane, locationId, { endpoint: server.endpoint });
    expect((await newestOf(controlPlane, check, 1)).mcpSchemaDrift).toBeNull();
    server.tools.push({ name: "second", inputSchema: { type: "object" } });
    await controlPlane.ok("POST", `/api/checks/${check.id}/trigger`);
    expect((await newestOf(controlPlane, check, 2)).mcpSchemaDrift).toMatchObject({ added: ["second"] });
    await controlPlane.ok("POST", `/api/checks/${check.id}/trigger`);
    expect((await newestOf(controlPlane, check, 3)).mcpSchemaDrift).toBeNull();
    const { events } = await controlPlane.ok<{ events: FeedEvent[] }>(
      "GET",
      `/api/events?checkId=${check.id}&type=check.mcp_schema_drift`,
    );
    expect(events).toHaveLength(1);
  } finally {
    server.close();
  }
});
