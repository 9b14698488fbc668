/** The shape of an assertion type on the side of whoever writes one: its fields, and its line in the documentation. */
import type * as z from "zod";
import { type TypedMember, type TypedSchema, typedMember } from "../base/family-schema.ts";

/** A response that assertions are read off. */
export interface SeenResponse {
  httpStatusCode: number;
  headers: Readonly<Record<string, string>>;
  /** The beginning of the body, as text. */
  body: string;
  /** True when `body` is not all of it. */
  wasTruncated: boolean;
}

/** An assertion that holds for a response, and a name for what it is about. */
export interface AssertionReadOff<Assertion> {
  label: string;
  assertion: Assertion;
}

/** The thing that an assertion is about. Check types say which of them their runs have. */
export type AssertionSubject = "http_response" | "time" | "certificate";

/** The contract side of an assertion: its schema, its words for the docs, and how one is made of what was seen. */
export interface AssertionDefinition<Schema extends TypedSchema = TypedSchema> extends TypedMember<Schema> {
  /** A clause in Markdown that says when the assertion holds, for docs/http-checks.md. */
  readonly holdsWhen: string;
  /** Its subject: only types of checks whose runs have one take the assertion. Absent: `http_response`. */
  readonly subject?: AssertionSubject;
  /** True when only the service can judge the assertion, so that `svc test` leaves it out. */
  readonly needsService?: true;
  /**
   * Returns the assertion changed so that it holds for the `actual` of its result; undefined when that says too little. Absent:
   * never.
   */
  readonly meet?: (assertion: z.output<Schema>, actual: unknown) => z.output<Schema> | undefined;
  /** True when a failed result shows that the response has another structure than expected. Absent: never. */
  readonly differsInStructure?: (result: { expected: unknown; actual: unknown }) => boolean;
  /** Returns assertions that hold for a response. Absent: none. */
  readonly readOff?: (response: SeenResponse) => AssertionReadOff<z.output<Schema>>[];
}

/**
 * Returns the definition of an assertion type. Its judge has the file of that name in the probes package.
 * @param schema fields that a user may write; `type` is the assertion's name
 */
export function defineAssertion<Schema extends TypedSchema>(
  schema: Schema,
  words: Pick<
    AssertionDefinition<Schema>,
    "holdsWhen" | "subject" | "needsService" | "meet" | "differsInStructure" | "readOff"
  >,
): AssertionDefinition<Schema> {
  return typedMember(schema, words);
}
