import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Looks for a text in the body. */
export const bodyContainsAssertion = defineAssertion(
  closedObject({
    type: z.literal("body_contains"),
    value: z
      .string()
      .max(65_536, "at most 65536 characters")
      .describe("Case-sensitive substring of the body."),
  }),
  {
    holdsWhen: "the decoded body contains `value`, case-sensitively",
  },
);
