/** Results: what one location measured for one slot of a check. */
import { z } from "zod";
import { assertionResultSchema } from "./assertions/registry.ts";
import { timestampSchema } from "./check.ts";

/** success; failure: it answered and a rule did not hold; error: no usable answer; timeout: the limit passed. */
export const RESULT_STATUSES = ["success", "failure", "error", "timeout"] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

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
});
export type McpSchemaDriftFacts = z.infer<typeof mcpSchemaDriftFactsSchema>;

/** What a browser run measured of the page; ms, and the layout shift's score. */
export const webVitalsSchema = z.object({
  lcpMs: z.number().optional(),
  fcpMs: z.number().optional(),
  cls: z.number().optional(),
});

/** One step of a browser run, in the order they were taken. */
export const resultStepSchema = z.object({
  name: z.string(),
  status: z.enum(RESULT_STATUSES),
  durationMs: z.number(),
  startedAt: timestampSchema,
  errorMessage: z.string().optional(),
});
export type ResultStep = z.infer<typeof resultStepSchema>;

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
  mcpSchemaDrift: mcpSchemaDriftFactsSchema.optional(),
  webVitals: webVitalsSchema.optional(),
  steps: z.array(resultStepSchema).optional(),
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
    networkRequestsJson: z.unknown().optional(),
    screenshotsJson: z.unknown().optional(),
    consoleLogsJson: z.unknown().optional(),
    agentPersonaParityJson: personaParitySchema.nullable().optional(),
    agentReadinessJson: readinessReportSchema.nullable().optional(),
    agentViewJson: z.unknown().optional(),
  })
  .meta({ id: "Result" });
export type Result = z.infer<typeof resultSchema>;
