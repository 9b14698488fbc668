import * as z from "zod";
import { closedObject } from "../base/objects.ts";

export const responseTimeSchema = closedObject({
  type: z.literal("response_time"),
  max: z.number().nonnegative().describe("Largest total response time that passes, ms."),
});
