/** Results: the measurement of one location for one slot of a check. */
import * as z from "zod";
import { assertionResultSchema } from "../assertions/registry.ts";
import { idSchema } from "../base/ids.ts";
import { nullishFields } from "../base/objects.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { detailFields } from "../checks/registry.ts";

/**
 * Reasons why a run took place. scheduled: its slot is on the check's grid; triggered: somebody asked for it; first_run: the
 * check was new; confirmation: an alert rule asked for a second run of a failure.
 */
export const RUN_REASONS = ["scheduled", "triggered", "first_run", "confirmation"] as const;
/** Reason why a run took place. */
export type RunReason = (typeof RUN_REASONS)[number];

/** Categories of the problem behind a result that is not a success. */
export const ERROR_CATEGORIES = [
  "dns",
  "connect",
  "tls",
  "timeout",
  "http",
  "assertion",
  "script",
  "protocol",
  "heartbeat",
] as const;
/** Category of the reason why a run is no success. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** Schema of a request's phases in ms (fractions allowed). A phase that did not happen is absent. */
const timingSchema = z.object({
  dnsLookupMs: z.number().optional(),
  tcpConnectMs: z.number().optional(),
  tlsHandshakeMs: z.number().optional(),
  ttfbMs: z.number().optional(),
  contentTransferMs: z.number().optional(),
  totalMs: z.number(),
});
/** Durations of a run's phases, ms. A phase that did not happen is absent. */
export type Timing = z.infer<typeof timingSchema>;

/** Schema of the response kept as evidence of a failed run: headers and the first 64 KiB of the body, decoded as text. */
const responseEvidenceSchema = z.object({
  url: z.string(),
  httpStatusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  bodyBytes: z.number(),
  wasTruncated: z.boolean(),
});

/** Schema of one attempt of a run that was retried. Lists of attempts begin with the oldest. */
const attemptSchema = z.object({
  status: z.enum(RESULT_STATUSES),
  errorCategory: z.enum(ERROR_CATEGORIES).optional(),
  errorMessage: z.string().optional(),
  httpStatusCode: z.number().optional(),
  responseTimeMs: z.number(),
  startedAt: timestampSchema,
});

/**
 * Schema of a result's detail, which a runner sends as JSON beside the columns: evidence of a failure, and the measurements
 * that the check asked for (personas, readiness). A success without any of them has no detail.
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
  ...z.object(detailFields).partial().shape,
});
/** The evidence of a run beyond its status and timing, as agents report it. */
export type ResultDetail = z.infer<typeof resultDetailSchema>;

/** Schema of the results of assertions that an earlier success kept. */
const keptAssertionsSchema = z.object({
  resultId: idSchema("result"),
  startedAt: timestampSchema,
  assertions: z.array(assertionResultSchema),
});

/** Schema of a result as the API answers it. `detail=true` adds the optional fields. */
export const resultSchema = z
  .object({
    id: idSchema("result"),
    checkId: idSchema("check"),
    runId: idSchema("run"),
    locationId: idSchema("location"),
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
    reason: z.enum(RUN_REASONS).describe("Why the run took place."),
    runnerId: idSchema("runner").nullable().describe("null: the runner is not known any more."),
    lateMs: z
      .number()
      .nullable()
      .describe("Begin of the run after it was due, ms; null: its schedule is not known any more."),
    assertions: z.array(assertionResultSchema).nullable().optional(),
    keptAssertions: keptAssertionsSchema
      .nullable()
      .optional()
      .describe(
        "Of a success that kept no `assertions`: those of the newest success before it, at its location, that kept them.",
      ),
    response: responseEvidenceSchema.nullable().optional(),
    attempts: z.array(attemptSchema).nullable().optional(),
    recoveredOnRetry: z.boolean().optional(),
    notes: z.array(z.string()).nullable().optional(),
    ...nullishFields(detailFields),
  })
  .meta({ id: "Result" });
/** A result with its detail, as the API answers it. */
export type Result = z.infer<typeof resultSchema>;
