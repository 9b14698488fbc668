import * as z from "zod";
import { closedObject } from "../base/objects.ts";

/** The newest successful result took longer than `maxMs`. */
export const responseTimeThresholdSchema = closedObject({
  type: z.literal("response_time_threshold"),
  maxMs: z.number().min(0, "smallest is 0").describe("Longest total response time that is still fine, ms."),
});
