/** The service's own MCP server, asked by the protocol's reference client, by `svc mcp`, and by the product's own MCP check. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Check, Result } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SVC } from "../harness/cli.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
let controlPlane: ControlPlane;
let locationId: string;
let check: Check;

beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  const location = await createLocation(controlPlane, "mcp");
  ({ locationId } = location);
  stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
  ({ check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name: "svc itself",
    type: "mcp",
    frequencySeconds: 3600,
    locations: [locationId],
    mcpConfig: {
      endpoint: `${controlPlane.url}/mcp`,
      auth: { type: "bearer", token: controlPlane.apiKey },
      rejectUnauthenticated: true,
      expectedTools: ["list_failing", "explain_check", "acknowledge_alert"],
      testCalls: [
        { toolName: "get_overview", arguments: {}, expectedOutputContains: '"checks"' },
        { toolName: "find_checks", arguments: { text: "itself" }, expectedOutputContains: "svc itself" },
      ],
    },
  }));
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

/** Returns the one text of a tool's answer. */
function textOf({ content }: Awaited<ReturnType<Client["callTool"]>>): string {
  return (content as { text: string }[])[0]?.text ?? "";
}

/** Starts `svc mcp` and connects a client to it. */
async function startBridge(args: readonly string[] = [], apiKey = controlPlane.apiKey) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SVC, "mcp", ...args],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: stack.folder(),
      SVC_API_URL: controlPlane.url,
      ...(apiKey && { SVC_API_KEY: apiKey }),
    },
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return { client, stderr: () => stderr, connect: () => client.connect(transport as never) };
}

test("the product's own MCP check finds it healthy: tools, calls, no client without a key", async () => {
  const result = await until("the check has a result", async () => {
    const path = `/api/checks/${check.id}/results?detail=true`;
    return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0];
  });
  expect({ status: result.status, error: result.errorMessage }).toEqual({ status: "success", error: null });
  expect(result.mcpJson?.unauthenticated).toMatchObject({ httpStatusCode: 401, passed: true });
  expect(result.mcpJson?.server).toMatchObject({ name: "svc" });
});

test("the reference client runs a check over HTTP and reads its result", async () => {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${controlPlane.apiKey}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${controlPlane.url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport as never);
  const { runId } = JSON.parse(
    textOf(await client.callTool({ name: "run_check", arguments: { checkId: check.id } })),
  );
  const run = await until("the run has its result", async () => {
    const answer = await client.callTool({ name: "get_run", arguments: { checkId: check.id, runId } });
    const { results } = JSON.parse(textOf(answer));
    return results.length > 0 ? results : undefined;
  });
  expect(run).toMatchObject([{ status: "success", reason: "triggered", locationId }]);
  await client.close();
});

test("svc mcp offers the service's tools, resources and prompts over stdio, and says why it can't", async () => {
  const { client, connect, stderr } = await startBridge();
  await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("run_check");
  expect(client.getServerVersion()).toMatchObject({ name: "svc" });
  const answer = await client.callTool({ name: "get_check", arguments: { checkId: check.id } });
  expect(JSON.parse(textOf(answer))).toMatchObject({ check: { name: "svc itself" } });
  expect(textOf(answer)).not.toContain(controlPlane.apiKey);
  expect((await client.listResources()).resources.length).toBeGreaterThan(1);
  expect((await client.getPrompt({ name: "shift_report" })).messages).toHaveLength(1);
  await expect(client.callTool({ name: "no_such_tool" })).rejects.toMatchObject({ code: -32602 });
  await client.close();
  expect(stderr()).toBe("");
});

test("svc mcp --read offers only tools that change nothing", async () => {
  const { client, connect } = await startBridge(["--read"]);
  await connect();
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  const answer = await client.callTool({ name: "run_check", arguments: { checkId: check.id } });
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain("read mode");
  await client.close();
});

test("svc mcp with a wrong key gives the client the service's reason", async () => {
  const { connect, stderr } = await startBridge([], `sk_${"0".repeat(64)}`);
  await expect(connect()).rejects.toThrow("Invalid, expired or revoked credentials");
  expect(stderr()).toContain("Invalid, expired or revoked credentials");
});

test("svc mcp without a key ends at once and says how to get one", async () => {
  const { connect, stderr } = await startBridge([], "");
  await expect(connect()).rejects.toThrow();
  expect(stderr()).toContain("svc login");
});
