import type { McpChangeType, McpSchemaDriftFacts } from "@svc/contract";
import { defineCondition } from "./condition.ts";

/** The tools of an MCP server, or the server's identity, changed in the run that is looked at. Over with the next run. */
export const mcpSchemaDrift = defineCondition("mcp_schema_drift", {
  isAboutFailure: false,
  recoversOn: "success",
  needs: () => ({}),
  mayBegin: (_condition, fresh) => fresh.schemaDrift !== undefined,
  holds: ({ changeTypes, toolNames, severity }, { fresh }) => {
    if (!fresh?.schemaDrift) return undefined;
    const changes = changesOf(fresh.schemaDrift, changeTypes, toolNames);
    if (Object.keys(changes).length === 0) return undefined;
    const counts = Object.entries(changes).map(([type, names]) => `${names.length} ${type}`);
    return {
      severity,
      threshold: { changeTypes, ...(toolNames ? { toolNames } : {}) },
      observed: changes,
      results: [fresh],
      summary: `MCP server changed: ${counts.join(", ")}`,
    };
  },
});

/** What of the drift is asked for. toolNames filters tools; the server's identity has no tool. */
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
