/** Messages for zod's issues where a schema has none of its own. They name the expected and the received value. */
import type * as z from "zod";
import { nearestName } from "./nearest.ts";
import { excerpt } from "./text.ts";

/**
 * Returns the message of an issue, or undefined to leave the message to zod. Given to `safeParse` as `error`; a message of
 * the schema's own takes precedence.
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "required"
        : `expected ${withArticle(TYPE_WORDS[issue.expected] ?? issue.expected)}, got ${typeWord(issue.input)}`;
    case "invalid_value":
      return issue.input === undefined ? "required" : expectedOneOf(issue.values, issue.input);
    case "invalid_union":
      return typeof issue.discriminator === "string"
        ? expectedOneOf(issue.options as unknown[], valueAt(issue.input, issue.discriminator))
        : undefined;
    case "invalid_key":
      return issue.issues.map((inner) => inner.message).join("\n");
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? `shorter than ${issue.minimum}`
        : `smallest is ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array" || issue.origin === "string"
        ? `longer than ${issue.maximum}`
        : `largest is ${issue.maximum}`;
    default:
      return undefined;
  }
}

/** Returns e.g. `expected one of http, browser, mcp; got "htp"; did you mean "http"?` */
function expectedOneOf(values: readonly unknown[], input: unknown): string {
  const expected =
    values.length === 1 ? `expected ${String(values[0])}` : `expected one of ${values.join(", ")}`;
  if (input === undefined) return `required; ${expected}`;
  if (typeof input !== "string") return `${expected}; got ${typeWord(input)}`;
  const nearest = nearestName(input, values.map(String));
  return `${expected}; got "${excerpt(input)}"${nearest ? `; did you mean "${nearest}"?` : ""}`;
}

const TYPE_WORDS: Record<string, string> = { record: "object", int: "whole number" };

function typeWord(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "an array";
  if (typeof input === "number" && !Number.isFinite(input)) return "not a finite number";
  return withArticle(typeof input);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

function valueAt(input: unknown, key: string): unknown {
  return typeof input === "object" && input !== null ? (input as Record<string, unknown>)[key] : undefined;
}
