/** Details that a run of several requests adds to a result. */
import * as z from "zod";
import { assertionResultSchema } from "../assertions/registry.ts";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { resultStepSchema } from "./result-step.ts";

const phaseSchema = z.number().min(0).optional();

/** Schema of the request of a step. */
const stepRequestSchema = z.object({
  name: z.string().describe("Of the step."),
  status: z
    .enum([...RESULT_STATUSES, "skipped"])
    .describe("skipped: a step before it did not succeed, so that nothing was sent."),
  method: z.string(),
  url: z
    .string()
    .describe(
      "With the values put in, and without credentials; of a step that sent nothing, as it is written.",
    ),
  httpStatusCode: z.number().optional(),
  timing: z
    .object({
      dnsLookupMs: phaseSchema,
      tcpConnectMs: phaseSchema,
      tlsHandshakeMs: phaseSchema,
      ttfbMs: phaseSchema,
      contentTransferMs: phaseSchema,
      totalMs: z.number().min(0),
    })
    .optional()
    .describe("ms; a phase that did not happen is absent."),
  assertions: z.array(assertionResultSchema).optional(),
  values: z
    .array(z.object({ name: z.string(), value: z.string(), isMasked: z.boolean() }))
    .optional()
    .describe("Extracted values; the beginning of long ones, and a mask for those that are secret."),
});

/** Details that a run of several requests adds to a result. */
export const multistepDetailFields = {
  steps: z.array(resultStepSchema),
  stepRequestsJson: z.array(stepRequestSchema),
};
