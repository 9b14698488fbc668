/** Conditions of Gatus, such as `[BODY].user.name == john`, as assertions. */
import {
  body,
  certificateLasts,
  type DraftAssertion,
  escapedForPattern,
  json,
  respondsWithin,
  status,
  statusAmong,
} from "../../carry/assertions.ts";
import { goDurationMs } from "../../carry/durations.ts";
import { jsonValueOf, simplePath } from "../../carry/patterns.ts";
import type { Asked } from "../../carry/spoken.ts";
import type { ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { gatusText } from "./variables.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

/** A condition taken apart. */
interface Comparison {
  item: Item;
  left: string;
  operator: string;
  right: string;
}

const DAY_MS = 86_400_000;
const COMPARISON = /^(\S[^=!<>]*?)\s(==|!=|<=|>=|<|>)\s([\s\S]*)$/;

/** Returns the assertions of a list of conditions; those that none can say are noted. */
export function assertionsOf(conditions: Item, context: Context): DraftAssertion[] {
  return askedByConditions(conditions.items(), context).flatMap(({ assertions }) => assertions);
}

/** Returns the assertions of each condition; those that none can say are noted. */
export function askedByConditions(conditions: readonly Item[], context: Context): Asked[] {
  return conditions.flatMap((item) => {
    const text = gatusText(item, context.draft)?.trim() ?? "";
    const [, left, operator, right] = COMPARISON.exec(text.slice(0, 10_000)) ?? [];
    const found =
      left === undefined || operator === undefined || right === undefined
        ? undefined
        : assertionsOfComparison({ item, left: left.trim(), operator, right: right.trim() }, context);
    if (found) return [{ item, assertions: found }];
    context.draft.leftOut(item, "no assertion says what this condition says", context.name);
    return [];
  });
}

/** Settings and assertions that the conditions of a DNS endpoint stand for. */
interface DnsExpectations {
  expectedRcode?: string;
  expectEquals?: string[];
  assertions: DraftAssertion[];
}

/** Returns what the conditions of a DNS endpoint ask for; those that a check can't say are noted. */
export function dnsExpectations(conditions: Item, context: Context): DnsExpectations {
  const found: DnsExpectations = { assertions: [] };
  for (const item of conditions.items()) {
    const [, left = "", operator, right = ""] =
      COMPARISON.exec((gatusText(item, context.draft)?.trim() ?? "").slice(0, 10_000)) ?? [];
    if (left.trim() === "[DNS_RCODE]" && operator === "==") found.expectedRcode = right.trim();
    else if (left.trim() === "[BODY]" && operator === "==" && !/[*()]/.test(right))
      found.expectEquals = [right.trim()];
    else if (left.trim() === "[RESPONSE_TIME]" && operator?.startsWith("<") && Number(right) >= 0)
      found.assertions.push(respondsWithin(Number(right)));
    else if (left.trim() !== "[CONNECTED]")
      context.draft.leftOut(item, "a DNS check can't say what this condition says", context.name);
  }
  return found;
}

function assertionsOfComparison(comparison: Comparison, context: Context): DraftAssertion[] | undefined {
  const { left, operator, right } = comparison;
  if (left === "[STATUS]") return statusAssertions(comparison, context);
  if (left === "[RESPONSE_TIME]") {
    const max = Number(right);
    return /^<=?$/.test(operator) && Number.isFinite(max) && max >= 0 ? [respondsWithin(max)] : undefined;
  }
  if (left === "[CERTIFICATE_EXPIRATION]") {
    const ms = goDurationMs(right);
    return /^>=?$/.test(operator) && ms !== undefined ? [certificateLasts(ms / DAY_MS)] : undefined;
  }
  // A check whose target can't be reached fails without any assertion.
  if (left === "[CONNECTED]") return operator === "==" && right === "true" ? [] : undefined;
  if (left === "[BODY]") return bodyAssertions(comparison);
  if (left.startsWith("[BODY]")) return jsonAssertions(comparison, context);
  const [, inner] = /^has\(\[BODY\]([^()]*)\)$/.exec(left) ?? [];
  const path = inner === undefined ? undefined : simplePath(inner);
  return path !== undefined && operator === "==" && right === "true" ? [json.exists(path)] : undefined;
}

function statusAssertions(
  { item, operator, right }: Comparison,
  { draft, name }: Context,
): DraftAssertion[] | undefined {
  const any = /^any\(([\d\s,]*)\)$/.exec(right)?.[1];
  if (any !== undefined && operator === "==") {
    const codes = any.split(",").flatMap((code) => (code.trim() === "" ? [] : [Number(code)]));
    const { assertions, wider } = statusAmong(codes.map((code) => ({ min: code, max: code })));
    if (wider)
      draft.changed(
        item,
        `any status from ${wider.min} to ${wider.max} passes: an assertion has no list of statuses`,
        name,
      );
    return assertions.length > 0 ? assertions : undefined;
  }
  if (!/^\d{1,3}$/.test(right)) return undefined;
  const code = Number(right);
  switch (operator) {
    case "==":
      return [status.is(code)];
    case "!=":
      return [status.isNot(code)];
    case "<":
      return [status.below(code)];
    case "<=":
      return [status.below(code + 1)];
    case ">":
      return [status.above(code)];
    default:
      return [status.above(code - 1)];
  }
}

/** Returns the parts of `pat(*a*b)` between its asterisks; undefined for any other text. */
function patternParts(right: string): string[] | undefined {
  const [, pattern] = /^pat\(([\s\S]*)\)$/.exec(right) ?? [];
  // Other signs have a meaning in such a pattern, too.
  return pattern === undefined || /[?[\]\\]/.test(pattern) ? undefined : pattern.split("*");
}

/** Returns the text of `*text*`. */
function textWithin(parts: readonly string[]): string | undefined {
  return parts.length === 3 && parts[0] === "" && parts[2] === "" ? parts[1] : undefined;
}

function bodyAssertions({ operator, right }: Comparison): DraftAssertion[] | undefined {
  if (operator !== "==" && operator !== "!=") return undefined;
  const isEqual = operator === "==";
  const parts = patternParts(right);
  if (parts) {
    const text = textWithin(parts);
    if (text !== undefined) return [isEqual ? body.contains(text) : body.lacks(text)];
    const pattern = `^${parts.map(escapedForPattern).join("[\\s\\S]*")}$`;
    return [isEqual ? body.matches(pattern) : body.lacksMatch(pattern)];
  }
  if (isFunction(right)) return undefined;
  return [isEqual ? body.is(right) : body.lacksMatch(`^${escapedForPattern(right)}$`)];
}

function jsonAssertions(
  { item, left, operator, right }: Comparison,
  { draft, name }: Context,
): DraftAssertion[] | undefined {
  const path = simplePath(left.slice("[BODY]".length));
  if (path === undefined) return undefined;
  const text = textWithin(patternParts(right) ?? []);
  if (text !== undefined && operator === "==") return [json.contains(path, text)];
  if (isFunction(right) || (operator !== "==" && operator !== "!=")) return undefined;
  const value = jsonValueOf(right);
  if (typeof value !== "string")
    draft.changed(item, `the value is compared with the ${typeof value}, not with its text`, name);
  return [operator === "==" ? json.is(path, value) : json.isNot(path, value)];
}

function isFunction(text: string): boolean {
  return /^(?:pat|any|len|has|age)\(/.test(text) || /^\[[A-Z_]+\]/.test(text);
}
