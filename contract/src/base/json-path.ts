/**
 * The subset of JSONPath that checks may use: dot notation (`a.b`), an array index from zero (`[0]`), a quoted key in
 * brackets (`["a b"]`), and a leading `$` or `$.` for the root. All other syntax is refused by name. Pure.
 */
import { excerpt } from "./text.ts";

/** A path that uses unsupported syntax, or has none at all. The message is a sentence that is safe to show. */
export class JsonPathError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonPathError";
  }
}

/** One step of a path: a member name or an array index. */
export type JsonPathStep = string | number;

const WHAT_IS_SUPPORTED = 'supported are dot notation, [0] and ["quoted key"]';

const PATHS_REMEMBERED_MAX = 5_000;
const remembered = new Map<string, readonly JsonPathStep[]>();

/**
 * Returns the steps of a path. They are remembered, since a check asks for its paths in every run.
 * @throws JsonPathError that names the unsupported syntax and its position
 */
export function jsonPathSteps(path: string): readonly JsonPathStep[] {
  let steps = remembered.get(path);
  if (!steps) {
    steps = parse(path);
    if (remembered.size >= PATHS_REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string);
    remembered.set(path, steps);
  }
  return steps;
}

function parse(path: string): JsonPathStep[] {
  const steps: JsonPathStep[] = [];
  let at = 0;
  if (path[0] === "$" && (path.length === 1 || path[1] === "." || path[1] === "[")) {
    at = 1;
    if (path[at] === "." && path[at + 1] !== "." && path.length > 2) at = 2;
    else if (path === "$.") return steps;
    if (at === 2 && path[at] === "[") throw unsupported(path, at, "a bracket after a dot");
  }
  let needsName = at !== 1;
  while (at < path.length) {
    const character = path[at] as string;
    if (character === "[") {
      if (needsName && steps.length > 0) throw unsupported(path, at, "a bracket after a dot");
      const [step, next] = bracketStep(path, at);
      steps.push(step);
      at = next;
      needsName = false;
    } else if (character === ".") {
      if (path[at + 1] === ".") throw unsupported(path, at, "recursive descent (..)");
      if (needsName || at + 1 === path.length) throw unsupported(path, at, "an empty name");
      at++;
      needsName = true;
    } else {
      if (!needsName) throw unsupported(path, at, `"${character}" after a bracket`);
      const [name, next] = nameStep(path, at);
      steps.push(name);
      at = next;
      needsName = false;
    }
  }
  if (needsName) throw unsupported(path, at, "an empty path");
  return steps;
}

/**
 * Follows the steps from the root of a JSON value.
 * @returns undefined when the path does not resolve; a path to null does resolve
 */
export function valueAt(root: unknown, steps: readonly JsonPathStep[]): { value: unknown } | undefined {
  let value = root;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) !== (typeof step === "number")) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<JsonPathStep, unknown>)[step];
  }
  return { value };
}

/** Reads a name in dot notation, which ends at the next dot or bracket. */
function nameStep(path: string, start: number): [string, number] {
  let end = start;
  while (end < path.length && path[end] !== "." && path[end] !== "[") end++;
  const name = path.slice(start, end);
  if (name === "*") throw unsupported(path, start, "a wildcard (*)");
  const odd = /[\]\s"'*?()@,:]/.exec(name)?.[0];
  if (odd !== undefined)
    throw unsupported(path, start + name.indexOf(odd), `"${odd}" in a name that is not quoted`);
  return [name, end];
}

/** Reads a bracketed step: `[0]` or a quoted key. */
function bracketStep(path: string, start: number): [JsonPathStep, number] {
  const index = /^\[(0|[1-9]\d{0,8})\]/.exec(path.slice(start, start + 12));
  if (index) return [Number(index[1]), start + index[0].length];
  const quote = path[start + 1];
  if (quote === '"' || quote === "'") return quotedStep(path, start, quote);
  const close = path.indexOf("]", start);
  if (close < 0) throw unsupported(path, start, "a bracket that is not closed");
  const inside = path.slice(start + 1, close).trim();
  throw unsupported(path, start, bracketSyntax(inside));
}

function bracketSyntax(inside: string): string {
  if (inside === "*") return "a wildcard ([*])";
  if (inside.startsWith("?") || inside.startsWith("(")) return "a filter expression ([?...])";
  if (inside.includes(":")) return "a slice ([start:end])";
  if (inside.includes(",")) return "a union ([a,b])";
  if (/^-\d+$/.test(inside)) return "a negative index";
  return `[${excerpt(inside)}]`;
}

/** Reads a quoted key. A backslash escapes the quote and itself; before any other character it stands for itself. */
function quotedStep(path: string, start: number, quote: string): [string, number] {
  let name = "";
  for (let at = start + 2; at < path.length; at++) {
    const character = path[at] as string;
    if (character === "\\" && (path[at + 1] === quote || path[at + 1] === "\\")) {
      at++;
      name += path[at];
    } else if (character === quote) {
      if (path[at + 1] === "]") return [name, at + 2];
      throw unsupported(path, at + 1, path[at + 1] === "," ? "a union ([a,b])" : "text after the quoted key");
    } else name += character;
  }
  throw unsupported(path, start, "a quoted key that is not closed");
}

function unsupported(path: string, at: number, what: string): JsonPathError {
  return new JsonPathError(
    `unsupported syntax in the path ${excerpt(path)}: ${what} at character ${at + 1}; ${WHAT_IS_SUPPORTED}`,
  );
}
