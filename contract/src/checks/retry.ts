import * as z from "zod";
import { closedObject } from "../base/objects.ts";

/** Schema of retries: how often and when a runner repeats a failed run before reporting it. A slot still has one result. */
export const retrySchema = closedObject({
  strategy: z.enum(["fixed", "linear", "exponential"]),
  maxRetries: z.int().min(0, "smallest is 0").max(5, "largest is 5"),
  baseBackoffSeconds: z.number().min(0, "smallest is 0").max(600, "largest is 600"),
  maxDurationSeconds: z.number().min(0, "smallest is 0").max(600, "largest is 600"),
  sameLocation: z.literal(true).default(true),
  onlyOn: z.literal("network_error").optional().describe("Retry only when the target could not be reached."),
});
/** The retry policy of a check, defaults filled in. */
export type Retry = z.infer<typeof retrySchema>;
