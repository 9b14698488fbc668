/** The tools and resources that an MCP server offers. A change against the check's baseline is added to the result's detail. */
import { type McpSurface, mcpSurfaceSchema } from "@svc/contract";
import { detectDrift } from "../../mcp-drift/detect-drift.ts";
import type { FactStore } from "./fact-store.ts";

export const mcpFactStore = {
  type: "mcp",
  schema: mcpSurfaceSchema,
  async store(trx, facts) {
    const drifts = await detectDrift(
      trx,
      facts.map(({ row, checkKey, startedAtMs, value }) => ({
        row,
        checkKey,
        observedAtMs: startedAtMs,
        surface: value,
      })),
    );
    return new Map([...drifts].map(([row, mcpSchemaDrift]) => [row, { mcpSchemaDrift }]));
  },
} as const satisfies FactStore<McpSurface>;
