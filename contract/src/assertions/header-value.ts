import * as z from "zod";
import { headerNameSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";

export const headerValueSchema = closedObject({
  type: z.literal("header_value"),
  header: headerNameSchema.describe("Matched case-insensitively."),
  operator: z.enum(["equals", "contains", "exists"]).default("equals"),
  value: z.string().optional(),
}).refine((assertion) => assertion.operator === "exists" || assertion.value !== undefined, {
  path: ["value"],
  message: "value is required unless operator is exists",
});
