/** The assertion types. To add one: its file beside this one, one line here, and its judge in the probes package. */
import * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { familySchema } from "../base/family-schema.ts";
import { listed } from "../base/text.ts";
import { bodyContainsAssertion } from "./body-contains.ts";
import { bodyJsonPathAssertion } from "./body-json-path.ts";
import { bodyMatchesAssertion } from "./body-matches.ts";
import type {
  AssertionDefinition,
  AssertionReadOff,
  AssertionSubject,
  SeenResponse,
} from "./define-assertion.ts";
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

/** Returns the subject of the assertions of a type. */
export function assertionSubjectOf(type: AssertionType): AssertionSubject {
  const { subject = "http_response" }: AssertionDefinition = assertionTypes.get(type);
  return subject;
}

const SUBJECT_WORDS: Readonly<Record<AssertionSubject, string>> = {
  http_response: "an HTTP response",
  time: "the time that a run took",
  certificate: "a certificate",
};

/**
 * Returns the schema of the assertions of a check type whose runs have only these subjects. An assertion about another one is
 * refused with the reason.
 */
export function assertionsAbout(
  checkType: string,
  subjects: readonly [AssertionSubject, ...AssertionSubject[]],
) {
  const fitting = assertionTypes.members.filter(({ type }) => subjects.includes(assertionSubjectOf(type)));
  const [first, ...others] = fitting.map(({ schema }) => schema);
  if (!first) throw new Error(`no assertion is about ${subjects.join(", ")}`);
  const names = listed(fitting.map(({ type }) => type));
  const one = z.discriminatedUnion("type", [first, ...others], {
    error: ({ input }) => {
      const type = (input as { type?: unknown } | null | undefined)?.type;
      const unfitting = typeof type === "string" ? assertionTypes.find(type) : undefined;
      if (!unfitting || fitting.includes(unfitting)) return undefined;
      const subject = SUBJECT_WORDS[assertionSubjectOf(unfitting.type)];
      return `${type} is about ${subject}, which a ${checkType} check does not have; such a check takes ${names}`;
    },
  });
  return z
    .array(one as z.ZodType<Assertion, Assertion>)
    .max(20, "at most 20 assertions")
    .default([]);
}

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
