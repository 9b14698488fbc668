import * as z from "zod";
import { headerNameSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { isWholeText } from "../base/whole-text.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Compares a header of the response, or asks only that it is there. */
export const headerValueAssertion = defineAssertion(
  closedObject({
    type: z.literal("header_value"),
    header: headerNameSchema.describe("Matched case-insensitively."),
    operator: z.enum(["equals", "contains", "exists"]).default("equals"),
    value: z.string().max(65_536, "at most 65536 characters").optional(),
  }).refine((assertion) => assertion.operator === "exists" || assertion.value !== undefined, {
    path: ["value"],
    message: "value is required unless operator is exists",
  }),
  {
    meet: (assertion, actual) =>
      isWholeText(actual) ? { ...assertion, operator: "equals" as const, value: actual } : undefined,
    readOff: ({ headers }) =>
      Object.entries(headers).map(([header, value]) => ({
        label: `Header ${header}`,
        assertion: { type: "header_value" as const, header, operator: "equals" as const, value },
      })),
    holdsWhen:
      "the header is there (`exists`), equals or contains `value`, case-sensitively; several of a name are joined by `, `; a missing header fails every operator",
  },
);
