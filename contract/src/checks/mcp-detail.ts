/**
 * Details that only a run of an MCP check has: the report of its conversation, and the server's changes since the run
 * before.
 */
import * as z from "zod";

/** Schema of the outcome of one call of a tool. */
const mcpCallReportSchema = z.object({
  toolName: z.string(),
  passed: z.boolean(),
  message: z.string().optional().describe("Why it did not pass."),
  durationMs: z.number(),
  outputPreview: z.string().describe("The beginning of the output."),
  outputCharacters: z.number().optional().describe("Length of the whole output."),
});
/** The report of one test call of a tool. */
export type McpCallReport = z.infer<typeof mcpCallReportSchema>;

/** Schema of the server that answered to initialize. */
const mcpServerSchema = z.object({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  title: z.string().optional(),
});
/** The identity that the server gave in its answer to initialize. */
export type McpServer = z.infer<typeof mcpServerSchema>;

/** Schema of the report of a run: everything the conversation showed until it ended. */
const mcpReportSchema = z.object({
  server: mcpServerSchema.optional(),
  toolCount: z.number().optional().describe("Absent when the tools could not be listed."),
  missingTools: z.array(z.string()).optional().describe("Of expectedTools."),
  testCalls: z.array(mcpCallReportSchema).optional(),
  unauthenticated: z
    .object({ httpStatusCode: z.number(), passed: z.boolean() })
    .optional()
    .describe("How an initialize without credentials was answered."),
});
/** The report of one run's conversation with the server. */
export type McpReport = z.infer<typeof mcpReportSchema>;

/**
 * Differences of an MCP server from the run before; present only when there are any. Tools are given by name;
 * escalated ones are also modified. `server` lists which of name, version, protocolVersion and capabilities changed.
 */
const mcpSchemaDriftFactsSchema = z.object({
  added: z.array(z.string()).default([]),
  removed: z.array(z.string()).default([]),
  modified: z.array(z.string()).default([]),
  escalated: z.array(z.string()).default([]),
  server: z.array(z.string()).default([]),
  changes: z
    .array(
      z.object({
        tool: z.string().nullable().describe("null: the server itself."),
        field: z.string().describe("What of it changed, e.g. inputSchema."),
        before: z.string(),
        after: z.string(),
      }),
    )
    .optional()
    .describe("What was modified, before and after; long texts from shortly before their first difference."),
});
/** Changes of the server's tools and identity since the run before. */
export type McpSchemaDriftFacts = z.infer<typeof mcpSchemaDriftFactsSchema>;

/** Details that a run of an MCP check adds to a result. */
export const mcpDetailFields = {
  mcpJson: mcpReportSchema,
  mcpSchemaDrift: mcpSchemaDriftFactsSchema,
};
