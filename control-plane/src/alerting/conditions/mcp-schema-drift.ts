import type { McpChangeType, McpSchemaDriftFacts } from "@svc/contract";
import { defineCondition } from "./condition.ts";

/** Holds at a run that reports a change of the MCP server's tools or identity; over with the next run. */
export const mcpSchemaDrift = defineCondition("mcp_schema_drift", {
  isAboutFailure: false,
  recoversOn: "success",
  needs: () => ({}),
  canBegin: (_condition, newResult) => newResult.schemaDrift !== undefined,
  match: ({ changeTypes, toolNames, severity }, { newResult }) => {
    if (!newResult?.schemaDrift) return undefined;
    const changes = changesOf(newResult.schemaDrift, changeTypes, toolNames);
    if (Object.keys(changes).length === 0) return undefined;
    const counts = Object.entries(changes).map(([type, names]) => `${names.length} ${type}`);
    return {
      severity,
      threshold: { changeTypes, ...(toolNames && { toolNames }) },
      observed: changes,
      results: [newResult],
      summary: `MCP server changed: ${counts.join(", ")}`,
    };
  },
  explain: ({ changeTypes, toolNames }) => ({
    threshold: { changeTypes, ...(toolNames && { toolNames }) },
    observed: null,
    missing: "a run that meets such a change of the server; it holds at that run only",
  }),
  notReplayable: "a change of the server is reported by one run; GET /api/events lists those that were",
});

/** Returns the changes of these types, of these tools. The server's identity has no tool, so `toolNames` spares it. */
function changesOf(
  drift: McpSchemaDriftFacts,
  types: readonly McpChangeType[],
  toolNames: readonly string[] | undefined,
): Partial<Record<McpChangeType, string[]>> {
  const changes: Partial<Record<McpChangeType, string[]>> = {};
  for (const type of types) {
    const names = drift[type].filter(
      (name) => type === "server" || toolNames === undefined || toolNames.includes(name),
    );
    if (names.length > 0) changes[type] = names;
  }
  return changes;
}
