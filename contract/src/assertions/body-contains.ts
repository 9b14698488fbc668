import * as z from "zod";
import { closedObject } from "../base/objects.ts";

export const bodyContainsSchema = closedObject({
  type: z.literal("body_contains"),
  value: z.string().describe("Case-sensitive substring of the body."),
});
