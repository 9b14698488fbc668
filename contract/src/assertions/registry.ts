/** The assertion types. To add one: its file beside this one, one line here, and its judge in the probes package. */
import * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { familySchema } from "../base/family-schema.ts";
import { bodyContainsAssertion } from "./body-contains.ts";
import { bodyJsonPathAssertion } from "./body-json-path.ts";
import { bodyMatchesAssertion } from "./body-matches.ts";
import type { AssertionReadOff, SeenResponse } from "./define-assertion.ts";
import { headerValueAssertion } from "./header-value.ts";
import { openapiConformanceAssertion } from "./openapi-conformance.ts";
import { responseTimeAssertion } from "./response-time.ts";
import { sslExpiryAssertion } from "./ssl-expiry.ts";
import { statusCodeAssertion } from "./status-code.ts";

/** The assertion types, in the order in which they are documented. */
export const assertionTypes = defineFamily("assertion", [
  statusCodeAssertion,
  responseTimeAssertion,
  bodyContainsAssertion,
  bodyMatchesAssertion,
  bodyJsonPathAssertion,
  headerValueAssertion,
  sslExpiryAssertion,
  openapiConformanceAssertion,
]);

/** An assertion of a check: an object of any assertion type. */
export const assertionSchema = familySchema(assertionTypes);
/** One assertion of a check, of any type. */
export type Assertion = z.infer<typeof assertionSchema>;
/** The name of an assertion type, such as `status_code`. */
export type AssertionType = Assertion["type"];

/** Returns the assertion changed so that it holds for the `actual` of its result; undefined when that says too little. */
export function meetActual(assertion: Assertion, actual: unknown): Assertion | undefined {
  const { meet } = assertionTypes.get(assertion.type);
  return (meet as ((assertion: Assertion, actual: unknown) => Assertion | undefined) | undefined)?.(
    assertion,
    actual,
  );
}

/** Returns assertions of all types that hold for a response, each with a name for what it is about. */
export function assertionsReadOff(response: SeenResponse): AssertionReadOff<Assertion>[] {
  return assertionTypes.members.flatMap(
    (type): AssertionReadOff<Assertion>[] => type.readOff?.(response) ?? [],
  );
}

/** Schema of an assertion result. `message` is present when the assertion failed. */
export const assertionResultSchema = z.object({
  type: z.string(),
  passed: z.boolean(),
  expected: z.unknown(),
  actual: z.unknown(),
  message: z.string().optional(),
});
/** The judgement of one assertion on one measurement. */
export type AssertionResult = z.infer<typeof assertionResultSchema>;
