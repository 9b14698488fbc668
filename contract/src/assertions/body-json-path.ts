import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Compares one value of a JSON body, found by its path. */
export const bodyJsonPathAssertion = defineAssertion(
  closedObject({
    type: z.literal("body_json_path"),
    path: z
      .string()
      .min(1)
      .max(4096)
      .describe('Dot notation, [0] and ["quoted key"]; a leading $ means the root.'),
    operator: z.enum(["equals", "not_equals", "contains", "exists"]).default("equals"),
    value: z.unknown().optional(),
  }).refine((assertion) => assertion.operator === "exists" || assertion.value !== undefined, {
    path: ["value"],
    message: "value is required unless operator is exists",
  }),
  {
    holdsWhen: "the value at `path` equals, differs from, contains `value`, or exists (see below)",
  },
);
