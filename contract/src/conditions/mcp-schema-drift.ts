import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { severitySchema } from "../base/severity.ts";
import { defineCondition } from "./define-condition.ts";

/**
 * Kinds of change of an MCP server. escalated: a modified tool whose annotation hints became less safe; server: its name,
 * version, protocol version or capabilities.
 */
const MCP_CHANGE_TYPES = ["added", "removed", "modified", "escalated", "server"] as const;
/** Kind of change of an MCP server. */
export type McpChangeType = (typeof MCP_CHANGE_TYPES)[number];

/** Holds when the tools of an MCP server, or the server's identity, changed. */
export const mcpSchemaDriftCondition = defineCondition(
  closedObject({
    type: z.literal("mcp_schema_drift"),
    changeTypes: z
      .array(z.enum(MCP_CHANGE_TYPES))
      .min(1, "at least one change type")
      .superRefine(uniqueItems)
      .default(["added", "removed", "modified"])
      .describe("Default: every change of a tool."),
    toolNames: z
      .array(z.string().min(1).max(255))
      .min(1, "at least one tool name")
      .max(1000, "at most 1000 tool names")
      .optional()
      .describe("Default: all tools."),
    severity: severitySchema.default("warning"),
  }),
  {
    fields: "`changeTypes`, `toolNames`, `severity`",
    holdsWhen: "the run reported such a change of the MCP server",
    severity: "as set, else warning",
    needs: () => "mcp_tools",
    symptom: "changed its tools: the server was probably updated",
  },
);
