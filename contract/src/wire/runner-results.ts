/** Results that a runner delivers over REST, where it can't hold a stream. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { type FactTypeMember, factTypes } from "../facts/registry.ts";
import { resultDetailSchema } from "../resources/result.ts";

const UINT31_MAX = 2 ** 31 - 1;
const phaseMsSchema = z
  .number()
  .min(0, "smallest is 0")
  .max(UINT31_MAX / 1000, "largest is 2147483");
const instantSchema = z.iso.datetime({ offset: true, error: "expected an ISO 8601 instant" });

/** The facts of a result, each under the name of its kind. */
const factFields = Object.fromEntries(
  factTypes.members.map(({ type, schema, description }) => [type, z.optional(schema).describe(description)]),
) as { [Kind in FactTypeMember as Kind["type"]]: z.ZodOptional<Kind["schema"]> };

/** Schema of a result that a runner delivers. */
const runnerResultSchema = closedObject({
  checkId: z.string().max(64),
  locationId: z.string().max(64),
  slotAt: instantSchema.describe(
    "The slot on the check's grid, or that of a triggered run; to the millisecond.",
  ),
  startedAt: instantSchema,
  status: z.enum(RESULT_STATUSES),
  responseTimeMs: phaseMsSchema,
  elapsedMs: phaseMsSchema
    .optional()
    .describe("From the start of the run to its end, retries included; default: responseTimeMs."),
  httpStatusCode: z.int().min(100, "smallest is 100").max(999, "largest is 999").optional(),
  timing: closedObject({
    dnsLookupMs: phaseMsSchema.optional(),
    tcpConnectMs: phaseMsSchema.optional(),
    tlsHandshakeMs: phaseMsSchema.optional(),
    ttfbMs: phaseMsSchema.optional(),
    contentTransferMs: phaseMsSchema.optional(),
  })
    .optional()
    .describe("Phases; one that did not happen is absent."),
  traceId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "expected 32 lower-case hexadecimal digits")
    .optional(),
  detail: resultDetailSchema.optional(),
  ...factFields,
});
/** One result that a runner delivers over REST. */
export type RunnerResult = z.infer<typeof runnerResultSchema>;

/** Body of POST /api/runner/results. */
export const runnerResultsSchema = closedObject({
  results: z.array(runnerResultSchema).min(1, "at least one result").max(1000, "at most 1000 results"),
});

/** Schema of the answer: how many results were stored. Delivering a result again is harmless and counts as a duplicate. */
export const runnerResultsAnswerSchema = z.object({
  accepted: z.number().describe("Results stored now."),
  duplicates: z.number().describe("Results that were stored already."),
  rejected: z
    .array(z.object({ index: z.number(), reason: z.string() }))
    .describe("Results, or details of results, that can't be stored, by their index in the request."),
});
