/** The assertion types. To add one: its file beside this one, one line here, and its judge in the probes package. */
import * as z from "zod";
import { bodyContainsSchema } from "./body-contains.ts";
import { bodyJsonPathSchema } from "./body-json-path.ts";
import { bodyMatchesSchema } from "./body-matches.ts";
import { headerValueSchema } from "./header-value.ts";
import { openapiConformanceSchema } from "./openapi-conformance.ts";
import { responseTimeSchema } from "./response-time.ts";
import { sslExpirySchema } from "./ssl-expiry.ts";
import { statusCodeSchema } from "./status-code.ts";

export const assertionSchema = z.discriminatedUnion("type", [
  statusCodeSchema,
  responseTimeSchema,
  bodyContainsSchema,
  bodyMatchesSchema,
  bodyJsonPathSchema,
  headerValueSchema,
  sslExpirySchema,
  openapiConformanceSchema,
]);
export type Assertion = z.infer<typeof assertionSchema>;
export type AssertionType = Assertion["type"];
export const ASSERTION_TYPE_NAMES = assertionSchema.options.map((option) => option.shape.type.value);

/** What became of one assertion. `message` is present when it failed. */
export const assertionResultSchema = z.object({
  type: z.string(),
  passed: z.boolean(),
  expected: z.unknown(),
  actual: z.unknown(),
  message: z.string().optional(),
});
export type AssertionResult = z.infer<typeof assertionResultSchema>;
