import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Looks for a regular expression in the body. */
export const bodyMatchesAssertion = defineAssertion(
  closedObject({
    type: z.literal("body_matches"),
    pattern: z.string().max(16_384).describe("JavaScript regular expression, applied to the full body."),
  }),
  {
    holdsWhen: "the JavaScript regular expression is found in the whole body",
  },
);
