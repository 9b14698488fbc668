/** What a run of an MCP check reports: what it met (in the result) and what the server offers (compared with the run before). */
import * as z from "zod";

/** How one call of a tool went. */
export const mcpCallReportSchema = z.object({
  toolName: z.string(),
  passed: z.boolean(),
  message: z.string().optional().describe("Why it did not pass."),
  durationMs: z.number(),
  outputPreview: z.string().describe("The beginning of the output."),
  outputCharacters: z.number().optional().describe("Length of the whole output."),
});
export type McpCallReport = z.infer<typeof mcpCallReportSchema>;

/** Who answered to initialize. */
export const mcpServerSchema = z.object({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  title: z.string().optional(),
});
export type McpServer = z.infer<typeof mcpServerSchema>;

/** What a run of an MCP check met, as far as it came. */
export const mcpReportSchema = z.object({
  server: mcpServerSchema.optional(),
  toolCount: z.number().optional().describe("Absent when the tools could not be listed."),
  missingTools: z.array(z.string()).optional().describe("Of expectedTools."),
  testCalls: z.array(mcpCallReportSchema).optional(),
  unauthenticated: z
    .object({ httpStatusCode: z.number(), passed: z.boolean() })
    .optional()
    .describe("How an initialize without credentials was answered."),
});
export type McpReport = z.infer<typeof mcpReportSchema>;

/** A text that may be long: what it is compared by, and its beginning for people to read. */
const comparedTextSchema = z.object({
  digest: z.string().max(64).describe("Of the whole text; equal texts have equal digests."),
  text: z.string().describe("The whole text, or its beginning when there is no room for more."),
});
export type ComparedText = z.infer<typeof comparedTextSchema>;

/** What a tool may do, by its annotations; a hint that it does not give has the protocol's default. */
export const mcpToolHintsSchema = z.object({
  readOnly: z.boolean(),
  destructive: z.boolean(),
  idempotent: z.boolean(),
  openWorld: z.boolean(),
});
export type McpToolHints = z.infer<typeof mcpToolHintsSchema>;

export const mcpToolSurfaceSchema = z.object({
  name: z.string(),
  description: comparedTextSchema,
  inputSchema: comparedTextSchema.describe("Canonical JSON."),
  annotations: comparedTextSchema.describe("Canonical JSON."),
  hints: mcpToolHintsSchema,
});
export type McpToolSurface = z.infer<typeof mcpToolSurfaceSchema>;

/** What an MCP server offers, as it is compared from run to run. A runner sends it when it differs from what it sent before. */
export const mcpSurfaceSchema = z.object({
  endpointSha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "expected 64 lower-case hexadecimal digits")
    .describe("Of the check's endpoint: another server is not a changed one."),
  server: z.object({
    name: z.string(),
    version: z.string(),
    protocolVersion: z.string(),
    capabilities: comparedTextSchema.describe("Canonical JSON."),
  }),
  tools: z.array(mcpToolSurfaceSchema).describe("By name; all of them, or there is no surface."),
});
export type McpSurface = z.infer<typeof mcpSurfaceSchema>;
