/** A step of a run: of every check type whose runs have some. Telemetry has a record and a span of each. */
import * as z from "zod";
import { RESULT_STATUSES } from "../base/result-status.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Schema of a step that a run carried out. Lists of steps are in the order in which they began; a browser run in url mode has one. */
export const resultStepSchema = z.object({
  name: z.string(),
  status: z.enum(RESULT_STATUSES),
  durationMs: z.number().min(0),
  startedAt: timestampSchema,
  errorMessage: z.string().optional(),
});
/** One step of a run: its name, status and duration. */
export type ResultStep = z.infer<typeof resultStepSchema>;
