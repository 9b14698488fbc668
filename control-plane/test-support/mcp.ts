/** Returns the surface of an MCP server, with valid defaults. */
import { createHash } from "node:crypto";
import type { ComparedText, McpSurface, McpToolSurface } from "@svc/contract";

export const MCP_ENDPOINT = "https://example.test/mcp";

export function compared(text: string): ComparedText {
  return { digest: createHash("sha256").update(text).digest("hex").slice(0, 16), text };
}

export function aTool(name: string, overrides: Partial<McpToolSurface> = {}): McpToolSurface {
  return {
    name,
    description: compared(`does ${name}`),
    inputSchema: compared('{"type":"object"}'),
    annotations: compared("{}"),
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    ...overrides,
  };
}

export function aSurface(overrides: Partial<McpSurface> & { endpoint?: string } = {}): McpSurface {
  const { endpoint = MCP_ENDPOINT, ...rest } = overrides;
  return {
    endpointSha256: createHash("sha256").update(endpoint).digest("hex"),
    server: {
      name: "server",
      version: "1",
      protocolVersion: "2025-06-18",
      capabilities: compared('{"tools":{}}'),
    },
    tools: [aTool("echo")],
    ...rest,
  };
}
