import * as z from "zod";
import { isId } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { defineAssertion } from "./define-assertion.ts";

/** Holds the response against an OpenAPI description that the team stored. */
export const openapiConformanceAssertion = defineAssertion(
  closedObject({
    type: z.literal("openapi_conformance"),
    specId: z
      .string()
      .max(64)
      .refine((text) => isId("spec", text), "expected an id of the form spec_..."),
    operationPath: z
      .string()
      .max(4096)
      .regex(/^(GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE) \//, "expected the form METHOD /path/template")
      .optional()
      .describe("Operation to hold the response against; by default found by URL and method."),
    validateHeaders: z.boolean().default(false),
  }),
  {
    holdsWhen: "the response is one that the API document describes",
    needsService: true,
    differsInStructure: () => true,
  },
);
