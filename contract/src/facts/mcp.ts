/** The surface of an MCP server: its identity and its tools, which are compared from run to run. */
import * as z from "zod";
import { defineFactKind } from "./define-fact-kind.ts";

/** Schema of a text that may be long: the hash by which it is compared, and its beginning for people to read. */
const comparedTextSchema = z.object({
  digest: z.string().max(64).describe("Of the whole text; equal texts have equal digests."),
  text: z.string().describe("The whole text, or its beginning when the whole is too long."),
});
/** A text that is compared from run to run: its digest, and as much of it as is kept. */
export type ComparedText = z.infer<typeof comparedTextSchema>;

/** Schema of a tool's hints, from its annotations. A hint that the tool does not give has the protocol's default. */
const mcpToolHintsSchema = z.object({
  readOnly: z.boolean(),
  destructive: z.boolean(),
  idempotent: z.boolean(),
  openWorld: z.boolean(),
});
/** The annotation hints of a tool, with the protocol's defaults filled in. */
export type McpToolHints = z.infer<typeof mcpToolHintsSchema>;

/** Schema of a tool of an MCP server: its name, its texts, its schemas and its hints. */
const mcpToolSurfaceSchema = z.object({
  name: z.string(),
  description: comparedTextSchema,
  inputSchema: comparedTextSchema.describe("Canonical JSON."),
  annotations: comparedTextSchema.describe("Canonical JSON."),
  hints: mcpToolHintsSchema,
});
/** One tool of a server: its name, description, input schema and annotations. */
export type McpToolSurface = z.infer<typeof mcpToolSurfaceSchema>;

/**
 * Schema of the surface of an MCP server: identity and tools. A runner sends it when it differs from the one sent
 * before.
 */
const mcpSurfaceSchema = z.object({
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
/** The identity, capabilities and tools of a server in one run. */
export type McpSurface = z.infer<typeof mcpSurfaceSchema>;

/** The fact kind of MCP servers. */
export const mcpFact = defineFactKind({
  type: "mcp",
  schema: mcpSurfaceSchema,
  description: "What an MCP server offers; compared with what it offered before, unless the run is older.",
});
