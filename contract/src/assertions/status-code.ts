import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Compares the status code of the response with a number. */
export const statusCodeAssertion = defineAssertion(
  closedObject({
    type: z.literal("status_code"),
    operator: z.enum(["equals", "not_equals", "less_than", "greater_than"]).default("equals"),
    value: z.number(),
  }),
  {
    holdsWhen: "the status equals, differs from, is less or more than `value`",
    meet: (assertion, actual) =>
      typeof actual === "number" ? { ...assertion, operator: "equals" as const, value: actual } : undefined,
    readOff: ({ httpStatusCode }) => [
      {
        label: "Status code",
        assertion: { type: "status_code" as const, operator: "equals" as const, value: httpStatusCode },
      },
    ],
  },
);
