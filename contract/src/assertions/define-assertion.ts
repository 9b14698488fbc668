/** The shape of an assertion type on the side of whoever writes one: its fields, and its line in the documentation. */
import { type TypedMember, type TypedSchema, typedMember } from "../base/family-schema.ts";

/** The contract side of an assertion: its schema and its words for the docs. */
export interface AssertionDefinition<Schema extends TypedSchema = TypedSchema> extends TypedMember<Schema> {
  /** A clause in Markdown that says when the assertion holds, for docs/http-checks.md. */
  readonly holdsWhen: string;
  /** True when only the service can judge the assertion, so that `svc test` leaves it out. */
  readonly needsService?: true;
}

/**
 * Returns the definition of an assertion type. Its judge has the file of that name in the probes package.
 * @param schema fields that a user may write; `type` is the assertion's name
 */
export function defineAssertion<Schema extends TypedSchema>(
  schema: Schema,
  words: Pick<AssertionDefinition, "holdsWhen" | "needsService">,
): AssertionDefinition<Schema> {
  return typedMember(schema, words);
}
