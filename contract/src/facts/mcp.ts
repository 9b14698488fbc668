/** The tools and identity of an MCP server, as they are compared from run to run. */
import * as z from "zod";
import { defineFactKind } from "./define-fact-kind.ts";

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

export const mcpFact = defineFactKind({
  type: "mcp",
  schema: mcpSurfaceSchema,
  description: "What an MCP server offers; compared with what it offered before, unless the run is older.",
});
