/** Results: what one location measured for one slot of a check. */
import * as z from "zod";
import { assertionResultSchema } from "../assertions/registry.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import {
  agentViewSchema,
  artifactSchema,
  browserDetailFields,
  consoleLogSchema,
  networkRequestSchema,
  resultStepSchema,
  screenshotSchema,
  webVitalsSchema,
} from "./browser-result.ts";
import { timestampSchema } from "./check.ts";
import { mcpReportSchema } from "./mcp.ts";

/** What kind of trouble a non-success result met. */
export const ERROR_CATEGORIES = [
  "dns",
  "connect",
  "tls",
  "timeout",
  "http",
  "assertion",
  "script",
  "protocol",
] as const;
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** Phases of the request in ms (fractions allowed); a phase that did not happen is absent. */
export const timingSchema = z.object({
  dnsLookupMs: z.number().optional(),
  tcpConnectMs: z.number().optional(),
  tlsHandshakeMs: z.number().optional(),
  ttfbMs: z.number().optional(),
  contentTransferMs: z.number().optional(),
  totalMs: z.number(),
});
export type Timing = z.infer<typeof timingSchema>;

/** The response kept as evidence of a failed run: headers and the first 64 KiB of the body, decoded as text. */
export const responseEvidenceSchema = z.object({
  url: z.string(),
  httpStatusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  bodyBytes: z.number(),
  wasTruncated: z.boolean(),
});

/** One attempt of a run that was retried, oldest first. */
export const attemptSchema = z.object({
  status: z.enum(RESULT_STATUSES),
  errorCategory: z.enum(ERROR_CATEGORIES).optional(),
  errorMessage: z.string().optional(),
  httpStatusCode: z.number().optional(),
  responseTimeMs: z.number(),
  startedAt: timestampSchema,
});

export const personaParitySchema = z.object({
  baselineBodyBytes: z.number(),
  baselineContentType: z.string().nullable(),
  results: z.array(
    z.object({
      persona: z.string(),
      status: z.enum(RESULT_STATUSES),
      httpStatusCode: z.number().nullable(),
      responseTimeMs: z.number(),
      startedAt: timestampSchema,
      bodyBytes: z.number(),
      contentType: z.string().nullable(),
      divergence: z.enum(["blocked", "challenged", "assertion_failed", "error"]).optional(),
      divergenceReason: z.string().optional(),
    }),
  ),
});

export const readinessReportSchema = z.object({
  score: z.number(),
  probes: z.array(
    z.object({
      id: z.string(),
      status: z.enum(["pass", "fail", "missing", "skipped"]),
      summary: z.string(),
      details: z.array(z.string()).optional(),
    }),
  ),
  robotsAgents: z.array(z.object({ agent: z.string(), allowed: z.boolean(), rule: z.string().optional() })),
  contentSignals: z.record(z.string(), z.string()),
});

/**
 * How an MCP server differs from the run before; only when it does. Tools by name; escalated ones are also modified.
 * server: which of name, version, protocolVersion and capabilities changed.
 */
export const mcpSchemaDriftFactsSchema = z.object({
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
export type McpSchemaDriftFacts = z.infer<typeof mcpSchemaDriftFactsSchema>;

/**
 * What a runner sends beside the narrow row, as JSON: evidence of a failure, and what the check asked for (personas,
 * readiness). A success without any of it sends none.
 */
export const resultDetailSchema = z.object({
  errorCategory: z.enum(ERROR_CATEGORIES).optional(),
  errorMessage: z.string().optional(),
  assertions: z.array(assertionResultSchema).optional(),
  response: responseEvidenceSchema.optional(),
  attempts: z.array(attemptSchema).optional(),
  recoveredOnRetry: z.boolean().optional(),
  notes: z
    .array(z.string())
    .optional()
    .describe("What a reader should know though it decided nothing, e.g. a body cut short."),
  agentPersonaParityJson: personaParitySchema.optional(),
  agentReadinessJson: readinessReportSchema.optional(),
  mcpJson: mcpReportSchema.optional(),
  mcpSchemaDrift: mcpSchemaDriftFactsSchema.optional(),
  ...browserDetailFields,
});
export type ResultDetail = z.infer<typeof resultDetailSchema>;

/** Facts about the certificate and connection of an https run; sent and stored only when they change. */
export const tlsFactsSchema = z.object({
  host: z.string(),
  fingerprintSha256: z.string(),
  issuer: z.string(),
  subject: z.string(),
  subjectAltNames: z.array(z.string()),
  validFrom: timestampSchema,
  validTo: timestampSchema,
  isTrusted: z.boolean(),
  trustError: z.string().optional(),
  isSelfSigned: z.boolean(),
  protocol: z.string(),
  cipher: z.string(),
});
export type TlsFacts = z.infer<typeof tlsFactsSchema>;

/** A result as the API answers it. `detail=true` adds the fields that are optional here. */
export const resultSchema = z
  .object({
    id: z.string(),
    checkId: z.string(),
    runId: z.string(),
    locationId: z.string(),
    status: z.enum(RESULT_STATUSES),
    responseTimeMs: z.number(),
    httpStatusCode: z.number().nullable(),
    timing: timingSchema,
    traceId: z.string().nullable(),
    errorCategory: z.enum(ERROR_CATEGORIES).nullable(),
    errorMessage: z.string().nullable(),
    slotAt: timestampSchema,
    startedAt: timestampSchema,
    completedAt: timestampSchema,
    assertions: z.array(assertionResultSchema).nullable().optional(),
    response: responseEvidenceSchema.nullable().optional(),
    attempts: z.array(attemptSchema).nullable().optional(),
    recoveredOnRetry: z.boolean().optional(),
    notes: z.array(z.string()).nullable().optional(),
    steps: z.array(resultStepSchema).nullable().optional(),
    webVitals: webVitalsSchema.nullable().optional(),
    networkRequestsJson: z.array(networkRequestSchema).nullable().optional(),
    screenshotsJson: z.array(screenshotSchema).nullable().optional(),
    videoJson: artifactSchema.nullable().optional(),
    consoleLogsJson: z.array(consoleLogSchema).nullable().optional(),
    agentPersonaParityJson: personaParitySchema.nullable().optional(),
    agentReadinessJson: readinessReportSchema.nullable().optional(),
    agentViewJson: agentViewSchema.nullable().optional(),
    mcpJson: mcpReportSchema.nullable().optional(),
    mcpSchemaDrift: mcpSchemaDriftFactsSchema.nullable().optional(),
  })
  .meta({ id: "Result" });
export type Result = z.infer<typeof resultSchema>;
