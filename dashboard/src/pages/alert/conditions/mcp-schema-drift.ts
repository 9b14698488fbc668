import { type ConditionWords, fieldsOf } from "./condition-words.ts";

/** Words about an MCP server whose tools changed. */
export const mcpSchemaDrift: ConditionWords = {
  type: "mcp_schema_drift",
  say({ threshold, observed }) {
    const { changeTypes } = fieldsOf(threshold);
    const changes = Object.entries(fieldsOf(observed)).filter((change): change is [string, string[]] =>
      Array.isArray(change[1]),
    );
    if (!Array.isArray(changeTypes) || changes.length === 0) return undefined;
    const said = changes.map(([type, names]) => `${type}: ${names.join(", ")}`).join("; ");
    return {
      sentence: `The MCP server changed. ${said}.`,
      threshold: `no tool ${changeTypes.join(", ")}`,
      observed: changes.map(([type, names]) => `${names.length} ${type}`).join(", "),
    };
  },
};
