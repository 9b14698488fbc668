/**
 * The tools and resources that an MCP server offers. A change against the check's baseline is added to the result's
 * detail.
 */
import { detectDrift } from "../../mcp-drift/detect-drift.ts";
import { defineFactStore } from "./fact-store.ts";

/** Stores the newest surface of each server, and adds its changes to the details. */
export const mcpFactStore = defineFactStore("mcp", async (trx, facts) => {
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
});
