import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Limits the total time of the response. */
export const responseTimeAssertion = defineAssertion(
  closedObject({
    type: z.literal("response_time"),
    max: z.number().nonnegative().describe("Largest total response time that passes, ms."),
  }),
  {
    holdsWhen: "the total time is at most `max` ms",
    subject: "time",
    meet: (assertion, actual) =>
      typeof actual === "number" ? { ...assertion, max: Math.ceil(actual) } : undefined,
  },
);
