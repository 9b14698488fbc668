/** Parsing of callers' input into the contract's types, or into the details of the error envelope. */
import * as z from "zod";
import { DomainError, type ValidationDetails } from "./errors.ts";
import { describeIssue } from "./issue-messages.ts";
import { excerpt, truncate } from "./text.ts";
import { findUnstorableText } from "./unstorable-text.ts";

/** Outcome of a parse: the value, or all problems of the input. */
export type Parsed<T> = { success: true; value: T } | { success: false; details: ValidationDetails };

/** Number of messages that an answer lists; the others are counted. */
export const MESSAGES_MAX = 20;
/** Length of the longest message. */
const MESSAGE_LENGTH_MAX = 500;

/** A problem of an input: the path of the value that is wrong, from the input's top, and one message about it. */
export interface Problem {
  path: readonly PropertyKey[];
  /** One line, or several about several unknown fields. */
  message: string;
}

/**
 * Parses `input` by `schema` with this package's messages. Refuses text that the database can't store (NUL, half a
 * surrogate pair) and excessive nesting before the schema sees them, so that no schema has to. Only the issues that are
 * listed get a message, because a message may cost more than finding the issue.
 */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): Parsed<T> {
  const unstorable = findUnstorableText(input);
  if (unstorable) {
    const messages = new MessageList();
    messages.add(unstorable.path, unstorable.message);
    return { success: false, details: messages.details() };
  }
  const { value, issues, unlisted } = run(schema, input);
  return issues.length === 0
    ? { success: true, value }
    : { success: false, details: detailsOf(issues, unlisted) };
}

/**
 * Returns the problems that {@link parseInput} would list, each with the path of its value; none when the input is valid.
 * For programs that show a message beside its field.
 */
export function findProblems(schema: z.ZodType, input: unknown): Problem[] {
  const unstorable = findUnstorableText(input);
  if (unstorable) return [unstorable];
  return run(schema, input).issues.map(({ path, message }) => ({ path, message }));
}

/** Returns the parsed value, or the first {@link MESSAGES_MAX} issues and the number of the others. */
function run<T>(schema: z.ZodType<T>, input: unknown) {
  const context: z.core.ParseContextInternal = { async: false, error: describeIssue };
  const payload = schema._zod.run({ value: input, issues: [] }, context);
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  const config = z.core.config();
  const issues = payload.issues
    .slice(0, MESSAGES_MAX)
    .map((issue) => z.core.util.finalizeIssue(issue, context, config));
  return { value: payload.value as T, issues, unlisted: payload.issues.length - issues.length };
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
 * Returns the messages of issues, grouped by top-level field: at most {@link MESSAGES_MAX}, then how many more there are. A
 * message about a deeper value begins with the value's path (`assertions[0].value: ...`). An unknown top-level field is
 * listed under its own name.
 * @param unlisted number of issues beside these
 */
function detailsOf(issues: readonly z.core.$ZodIssue[], unlisted: number): ValidationDetails {
  const messages = new MessageList(unlisted);
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) addUnknownFields(messages, issue);
    else messages.add(issue.path, issue.message);
  }
  return messages.details();
}

/** Splits one message about several unknown fields, so that each line stands under the name of its field. */
function addUnknownFields(messages: MessageList, issue: z.core.$ZodIssueUnrecognizedKeys): void {
  const lines = issue.message.split("\n");
  for (const [i, key] of issue.keys.slice(0, MESSAGES_MAX).entries())
    messages.add([key], lines[i] ?? issue.message);
  messages.skip(Math.max(0, issue.keys.length - MESSAGES_MAX));
}

/** Messages by top-level field, bounded in number and length. */
class MessageList {
  readonly #details: ValidationDetails = { fieldErrors: {}, formErrors: [] };
  #listed = 0;
  #unlisted: number;

  constructor(unlisted = 0) {
    this.#unlisted = unlisted;
  }

  /** Adds each line of a message about the value at `path`. */
  add(path: readonly PropertyKey[], message: string): void {
    const [field, ...rest] = path;
    const name = field === undefined ? undefined : excerpt(String(field));
    const where = name !== undefined && rest.length > 0 ? `${name}${pathText(rest)}: ` : "";
    for (const line of message.split("\n")) this.#addLine(name, where + line);
  }

  #addLine(name: string | undefined, line: string): void {
    if (this.#listed >= MESSAGES_MAX) {
      this.#unlisted++;
      return;
    }
    this.#listed++;
    const { fieldErrors, formErrors } = this.#details;
    if (name !== undefined && !Object.hasOwn(fieldErrors, name)) fieldErrors[name] = [];
    const list = name === undefined ? formErrors : fieldErrors[name];
    list?.push(truncate(line, MESSAGE_LENGTH_MAX));
  }

  /** Counts problems that are not listed. */
  skip(count: number): void {
    this.#unlisted += count;
  }

  details(): ValidationDetails {
    if (this.#unlisted > 0) this.#details.formErrors.push(`and ${this.#unlisted} more`);
    return this.#details;
  }
}

/** Returns a path as messages write it behind the name of a field: `.steps[0].name`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${excerpt(String(part))}`)).join("");
}
