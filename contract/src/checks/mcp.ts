import * as z from "zod";
import { authSchema, httpUrlSchema, resendBodySchema } from "../base/fields.ts";
import { closedObject, withoutDefaults } from "../base/objects.ts";
import { CONFIG_TOO_LARGE, isWithinConfigSize } from "./config-size.ts";
import { defineCheckType } from "./define-check-type.ts";
import { certificateFields, certificateWithKey } from "./host-fields.ts";
import { mcpDetailFields } from "./mcp-detail.ts";
import { proxyFields, proxyWithCredentials } from "./proxy-fields.ts";

const testCallSchema = closedObject({
  toolName: z.string().min(1).max(255),
  arguments: z.record(z.string(), z.unknown()).optional(),
  expectedOutputContains: z
    .string()
    .max(65_536, "at most 65536 characters")
    .optional()
    .describe(
      "Case-sensitive; looked for in the texts of the output, and in its structured content as JSON.",
    ),
});

const configFields = closedObject({
  endpoint: httpUrlSchema,
  timeoutMs: z.int().min(5000, "smallest is 5000").max(120_000, "largest is 120000").default(30_000),
  auth: authSchema.optional(),
  resendBody: resendBodySchema.optional(),
  ...certificateFields,
  ...proxyFields,
  expectedTools: z.array(z.string().min(1).max(255)).max(1000).optional(),
  testCalls: z.array(testCallSchema).max(50).optional(),
  detectSchemaDrift: z
    .boolean()
    .default(true)
    .describe("Report when the tools or the server's identity change from one run to the next."),
  rejectUnauthenticated: z
    .boolean()
    .default(false)
    .describe("Also initialize without credentials, and fail unless that is answered 401 or 403."),
});

/** Configuration of a check of type mcp. */
export const mcpConfigSchema = configFields
  .superRefine(certificateWithKey)
  .superRefine(proxyWithCredentials)
  .refine((config) => !config.rejectUnauthenticated || config.auth !== undefined, {
    path: ["rejectUnauthenticated"],
    message: "rejectUnauthenticated requires auth",
  })
  .refine(isWithinConfigSize, CONFIG_TOO_LARGE);
/** Configuration of an MCP check, defaults filled in. */
export type McpConfig = z.infer<typeof mcpConfigSchema>;

/** A conversation with an MCP server: its tools, and calls of them. */
export const mcpCheck = defineCheckType({
  type: "mcp",
  title: "MCP",
  summary: "a conversation with an MCP server: its tools, and calls of them",
  configKey: "mcpConfig",
  configSchema: mcpConfigSchema,
  monitorFields: withoutDefaults(configFields.shape),
  inheritedFields: [],
  targetField: "endpoint",
  secretFields: {
    auth: "auth",
    endpoint: "url",
    testCalls: "named",
    clientKey: "credential",
    proxyPassword: "credential",
  },
  secretDestinations: {
    auth: ["endpoint", "proxyUrl"],
    endpoint: ["endpoint", "proxyUrl"],
    testCalls: ["endpoint", "proxyUrl"],
    clientKey: ["endpoint", "proxyUrl"],
    proxyPassword: ["proxyUrl"],
  },
  starter: {
    question: "MCP endpoint to watch: ",
    fields: (url) => ({ endpoint: url }),
  },
  canRunLocally: false,
  runCost: { seconds: 2 },
  observes: ["mcp_tools"],
  detailFields: mcpDetailFields,
});
