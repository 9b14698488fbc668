/** Finds the operation that a URL and method belong to: the most specific path template under the longest server path. */

import { OPENAPI_METHODS } from "../document/operations.ts";
import { escapeSegment, isObject, valueAt } from "../document/pointer.ts";
import type { References } from "../document/references.ts";

/** An operation and its position in the document. */
export interface OperationLocation {
  /** Upper case. */
  method: string;
  path: string;
  /** Pointer of the Operation Object, references of the path item followed. */
  pointer: string;
}

interface Candidate extends OperationLocation {
  segments: Segment[];
  /** Path parts of the server URLs, each a pattern at the start of a URL's path. */
  bases: RegExp[];
}

/** A part of a path template: literal, or with `{parameters}`. */
interface Segment {
  literal?: string;
  pattern: RegExp;
}

/** Most URLs whose operation is remembered: checks ask for few URLs again and again. */
const REMEMBERED_MAX = 1_000;

/** Index of a document's operations. */
export class OperationIndex {
  readonly #byMethod = new Map<string, Candidate[]>();
  readonly #remembered = new Map<string, OperationLocation | undefined>();

  constructor(document: Record<string, unknown>, references: References) {
    for (const path of Object.keys(isObject(document.paths) ? document.paths : {})) {
      const item = references.resolve(`/paths/${escapeSegment(path)}`);
      if (!path.startsWith("/") || !item || !isObject(item.value)) continue;
      for (const method of OPENAPI_METHODS) {
        const pointer = `${item.pointer}/${method}`;
        const operation = valueAt(document, pointer);
        if (!isObject(operation)) continue;
        const candidates = this.#byMethod.get(method) ?? [];
        this.#byMethod.set(method, candidates);
        candidates.push({
          method: method.toUpperCase(),
          path,
          pointer,
          segments: path.split("/").slice(1).map(segmentOf),
          bases: serverBases(document, item.value, operation),
        });
      }
    }
  }

  /** Finds the operation that `METHOD /path/template` names. Names of path parameters may differ. */
  named(operationPath: string): OperationLocation | undefined {
    const [method = "", path = ""] = operationPath.split(/ (.*)/s);
    const candidates = this.#byMethod.get(method.toLowerCase()) ?? [];
    const shape = path.replace(/\{[^{}]*\}/g, "{}");
    return (
      candidates.find((candidate) => candidate.path === path) ??
      candidates.find((candidate) => candidate.path.replace(/\{[^{}]*\}/g, "{}") === shape)
    );
  }

  /**
   * Finds the operation of a request. A HEAD request belongs to the GET operation when the document describes no
   * HEAD.
   */
  matching(method: string, url: string): OperationLocation | undefined {
    const path = URL.canParse(url) ? new URL(url).pathname : "";
    const key = `${method} ${path}`;
    if (this.#remembered.has(key)) return this.#remembered.get(key);
    const found =
      this.#bestMatch(method.toLowerCase(), path) ??
      (method.toUpperCase() === "HEAD" ? this.#bestMatch("get", path) : undefined);
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    this.#remembered.set(key, found);
    return found;
  }

  #bestMatch(method: string, path: string): OperationLocation | undefined {
    let best: { candidate: Candidate; baseLength: number } | undefined;
    for (const candidate of this.#byMethod.get(method) ?? []) {
      const baseLength = matchedBase(candidate, path);
      if (baseLength === undefined) continue;
      if (
        !best ||
        baseLength > best.baseLength ||
        (baseLength === best.baseLength && isMoreSpecific(candidate.segments, best.candidate.segments))
      )
        best = { candidate, baseLength };
    }
    return best?.candidate;
  }
}

/** Returns the length of the longest server path under which the template fits; undefined when it fits under none. */
function matchedBase({ segments, bases }: Candidate, path: string): number | undefined {
  let longest: number | undefined;
  for (const base of bases) {
    const found = base.exec(path);
    if (!found || (longest !== undefined && found[0].length <= longest)) continue;
    if (fits(segments, path.slice(found[0].length))) longest = found[0].length;
  }
  return longest;
}

function fits(segments: readonly Segment[], rest: string): boolean {
  const parts = rest.split("/").slice(1);
  // Under the base "/v1" both "/v1" and "/v1/" ask for "/"; a slash at the end makes no other operation.
  if (parts.length === 0) parts.push("");
  if (parts.length === segments.length + 1 && parts.at(-1) === "") parts.pop();
  return (
    parts.length === segments.length &&
    segments.every(({ pattern }, index) => pattern.test(decoded(parts[index] ?? "")))
  );
}

function isMoreSpecific(segments: readonly Segment[], others: readonly Segment[]): boolean {
  for (const [index, segment] of segments.entries()) {
    const difference = specificity(segment) - specificity(others[index]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/**
 * Returns a number that is larger for a literal than for a template with literal parts (`{name}.json`), and smallest
 * for a parameter alone.
 */
function specificity(segment: Segment | undefined): number {
  if (segment?.literal !== undefined) return Number.MAX_SAFE_INTEGER;
  return segment?.pattern.source.length ?? 0;
}

function segmentOf(text: string): Segment {
  if (!/\{[^{}]*\}/.test(text)) return { literal: text, pattern: new RegExp(`^${escaped(decoded(text))}$`) };
  const parts = text.split(/\{[^{}]*\}/).map((part) => escaped(decoded(part)));
  return { pattern: new RegExp(`^${parts.join(".+?")}$`, "s") };
}

function serverBases(
  document: Record<string, unknown>,
  item: Record<string, unknown>,
  operation: Record<string, unknown>,
): RegExp[] {
  const servers = [operation.servers, item.servers, document.servers].find(
    (list): list is unknown[] => Array.isArray(list) && list.length > 0,
  );
  const paths = new Set(
    (servers ?? [{ url: "/" }])
      .filter(isObject)
      .map((server) => basePattern(typeof server.url === "string" ? server.url : "/", server.variables)),
  );
  return [...paths].map((pattern) => new RegExp(`^${pattern}(?=/|$)`));
}

/** Returns the path of a server URL as a pattern in which variables stand for any of their values. */
function basePattern(url: string, variables: unknown): string {
  const path = url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*|^\/\/[^/?#]*|^\{[^{}]*\}(:\/\/[^/?#]*|(?=\/))/i, "")
    .replace(/[?#].*$/s, "");
  const trimmed = path.replace(/\/+$/, "");
  const rooted =
    trimmed === "" || trimmed.startsWith("/") ? trimmed : `/${trimmed.replace(/^(\.\.?\/)+/, "")}`;
  return rooted
    .split(/(\{[^{}]*\})/)
    .map((part) => (part.startsWith("{") ? variablePattern(part.slice(1, -1), variables) : escaped(part)))
    .join("");
}

function variablePattern(name: string, variables: unknown): string {
  const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
  const values = isObject(variable) && Array.isArray(variable.enum) ? variable.enum : undefined;
  if (values) return `(?:${values.map((value) => escaped(String(value))).join("|")})`;
  const fallback = isObject(variable) && typeof variable.default === "string" ? variable.default : "";
  return fallback.includes("/") ? `(?:${escaped(fallback)}|[^/]+)` : "[^/]*";
}

/**
 * Returns the text with its percent encoding decoded. Not the contract's function, which would triple the start of a
 * thread.
 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
