import * as z from "zod";
import { closedObject } from "../base/objects.ts";

export const statusCodeSchema = closedObject({
  type: z.literal("status_code"),
  operator: z.enum(["equals", "not_equals", "less_than", "greater_than"]).default("equals"),
  value: z.number(),
});
