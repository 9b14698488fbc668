/** Runs of MCP checks against a test server. */
import { runProbe } from "../src/registry.ts";
import type { RunResult } from "../src/run/outcome.ts";
import type { ProbeRequest } from "../src/run/probe.ts";
import { aContext, expectResult } from "./builders.ts";
import { anMcpRequest, type McpServerOptions, mcpServer } from "./mcp-server.ts";

/** Runs a check of an endpoint. */
export async function runMcp(
  config: { endpoint: string } & Record<string, unknown>,
  request: Partial<ProbeRequest> = {},
): Promise<RunResult> {
  return expectResult(await runProbe(anMcpRequest(config, request), aContext()));
}

/** Starts a server and runs a check of it. */
export async function runAgainst(
  options: McpServerOptions,
  config: Record<string, unknown> = {},
): Promise<RunResult> {
  const { endpoint } = await mcpServer(options);
  return runMcp({ endpoint, ...config });
}
