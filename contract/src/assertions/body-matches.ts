import * as z from "zod";
import { closedObject } from "../base/objects.ts";

export const bodyMatchesSchema = closedObject({
  type: z.literal("body_matches"),
  pattern: z.string().max(16_384).describe("JavaScript regular expression, applied to the full body."),
});
