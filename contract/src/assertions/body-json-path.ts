import * as z from "zod";
import { jsonLeaves } from "../base/json-leaves.ts";
import { closedObject } from "../base/objects.ts";
import { isWholeText } from "../base/whole-text.ts";
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
    meet: (assertion, actual) => {
      const isKnown = isWholeText(actual) || typeof actual === "number" || typeof actual === "boolean";
      return isKnown && assertion.operator !== "exists"
        ? { ...assertion, operator: "equals" as const, value: actual }
        : undefined;
    },
    // Nothing at the path is null, or false where something is to exist.
    differsInStructure: ({ expected, actual }) =>
      actual === null || typeof actual !== typeof expected || (expected === true && actual === false),
    readOff: ({ body, wasTruncated }) =>
      (wasTruncated ? [] : jsonLeaves(body)).map(({ path, value }) => ({
        label: path,
        assertion: { type: "body_json_path" as const, path, operator: "equals" as const, value },
      })),
    holdsWhen: "the value at `path` equals, differs from, contains `value`, or exists (see below)",
  },
);
