/** Parsing of callers' input into the contract's types, or into the details of the error envelope. */
import type * as z from "zod";
import { DomainError, type ValidationDetails } from "./errors.ts";
import { describeIssue } from "./issue-messages.ts";
import { findUnstorableText } from "./unstorable-text.ts";

/** Outcome of a parse: the value, or all problems of the input. */
export type Parsed<T> = { success: true; value: T } | { success: false; details: ValidationDetails };

/**
 * Parses `input` by `schema` with this package's messages. Refuses text that the database can't store (NUL, half a
 * surrogate pair) and excessive nesting before the schema sees them, so that no schema has to.
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): Parsed<T> {
  const unstorable = findUnstorableText(input);
  if (unstorable) {
    const details: ValidationDetails = { fieldErrors: {}, formErrors: [] };
    addMessage(details, unstorable.path, unstorable.message);
    return { success: false, details };
  }
  const parsed = schema.safeParse(input, { error: describeIssue });
  return parsed.success
    ? { success: true, value: parsed.data }
    : { success: false, details: validationDetails(parsed.error) };
}

/**
 * Returns the parsed `input`.
 * @throws DomainError `invalid` that lists all problems at once
 */
export function parseOrInvalid<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = parseInput(schema, input);
  if (parsed.success) return parsed.value;
  throw new DomainError("invalid", "Validation failed", { details: parsed.details });
}

/**
 * Returns the messages of an error, grouped by top-level field. A message about a deeper value begins with the value's path
 * (`assertions[0].value: ...`). An unknown top-level field is listed under its own name.
 */
export function validationDetails(error: z.ZodError): ValidationDetails {
  const details: ValidationDetails = { fieldErrors: {}, formErrors: [] };
  for (const issue of error.issues) {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) addUnknownFields(details, issue);
    else addMessage(details, issue.path, issue.message);
  }
  return details;
}

/** Splits one message about several unknown fields, so that each line stands under the name of its field. */
function addUnknownFields(details: ValidationDetails, issue: z.core.$ZodIssueUnrecognizedKeys): void {
  const messages = issue.message.split("\n");
  for (const [i, key] of issue.keys.entries()) addMessage(details, [key], messages[i] ?? issue.message);
}

function addMessage(details: ValidationDetails, path: readonly PropertyKey[], message: string): void {
  const [field, ...rest] = path;
  if (field === undefined) {
    details.formErrors.push(message);
    return;
  }
  const name = String(field);
  const where = rest.length > 0 ? `${name}${pathText(rest)}: ` : "";
  if (!Object.hasOwn(details.fieldErrors, name)) details.fieldErrors[name] = [];
  for (const line of message.split("\n")) details.fieldErrors[name]?.push(where + line);
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
}
