import * as z from "zod";
import { closedObject } from "../base/objects.ts";

/** What a runner does before it reports a failed run: try again at the same location. One result per slot stays the rule. */
export const retrySchema = closedObject({
  strategy: z.enum(["fixed", "linear", "exponential"]),
  maxRetries: z.int().min(0, "smallest is 0").max(5, "largest is 5"),
  baseBackoffSeconds: z.number().min(0, "smallest is 0").max(600, "largest is 600"),
  maxDurationSeconds: z.number().min(0, "smallest is 0").max(600, "largest is 600"),
  sameLocation: z.literal(true).default(true),
  onlyOn: z.literal("network_error").optional().describe("Retry only when the target could not be reached."),
});
export type Retry = z.infer<typeof retrySchema>;
