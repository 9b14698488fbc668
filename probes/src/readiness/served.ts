/** Judges documents that a site should serve at a fixed path. Shared by the readiness probes. Pure but for the requests. */
import { LOOP_JSON_LENGTH_MAX } from "../base/json-pool.ts";
import type { ReadinessResult } from "./define.ts";
import type { Site, SiteDocument } from "./site.ts";

/** A document that the site served. */
export type Served = Extract<SiteDocument, { kind: "served" }>;

/**
 * Returns the result for a document that can't be judged: not served, unreachable, or an HTML page in its place, which many
 * sites answer for any path.
 * @returns undefined when the document is there to be judged
 */
export function absence(name: string, document: SiteDocument): ReadinessResult | undefined {
  if (document.kind === "missing")
    return { status: "missing", summary: `${name} is not served (status ${document.httpStatusCode})` };
  if (document.kind === "unreachable")
    return { status: "fail", summary: `${name} could not be fetched: ${document.message}` };
  if (isHtml(document))
    return { status: "missing", summary: `${name} is not served: an HTML page is answered in its place` };
  return undefined;
}

/** Judges a document that is served, and returns the result of its absence otherwise. */
export async function servedText(
  name: string,
  loading: Promise<SiteDocument>,
  judge: (document: Served) => ReadinessResult,
): Promise<ReadinessResult> {
  const document = await loading;
  return absence(name, document) ?? judge(document as Served);
}

/**
 * Judges the first of several paths at which JSON is served. A document that is no JSON object, or too long to be read,
 * fails by that.
 * @param paths in the order of preference, at least one
 * @returns the judgement; when none is served, the absence of the first path, or of the last one that failed
 */
export async function firstServedJson(
  site: Site,
  paths: readonly string[],
  judge: (path: string, json: Record<string, unknown>) => ReadinessResult,
): Promise<ReadinessResult> {
  let result: ReadinessResult | undefined;
  for (const path of paths) {
    const document = await site.fetch(path, "application/json");
    const absent = absence(path, document);
    if (!absent) {
      const { object, problem } = readJsonObject(document as Served);
      return object ? judge(path, object) : judged(path, "", [problem]);
    }
    if (!result || absent.status === "fail") result = absent;
  }
  return result as ReadinessResult;
}

/** Returns pass when there are no problems, else fail with the problems as details. */
export function judged(name: string, praise: string, problems: readonly string[]): ReadinessResult {
  if (problems.length === 0) return { status: "pass", summary: praise };
  return {
    status: "fail",
    summary: `${name} is served but not valid: ${problems[0]}`,
    details: [...problems],
  };
}

/** True when a document is an HTML page, by its content type or its beginning. */
export function isHtml(document: Served): boolean {
  return (
    /^(text\/html|application\/xhtml\+xml)/.test(document.contentType) ||
    /^\s*<(!doctype html|html)[\s>]/i.test(document.text)
  );
}

/** A document's JSON object, or the reason why there is none, which completes "the document is served but not valid: ...". */
export type JsonObjectRead =
  | { object: Record<string, unknown>; problem?: never }
  | { object?: never; problem: string };

/** Parses a document that should be a JSON object. One that would take the event loop long to parse is not parsed. */
export function readJsonObject({ text }: Served): JsonObjectRead {
  if (text.length > LOOP_JSON_LENGTH_MAX)
    return { problem: `it is longer than ${LOOP_JSON_LENGTH_MAX} characters, and is not read` };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { object: value as Record<string, unknown> };
  } catch {
    // It is no JSON at all.
  }
  return { problem: "it is not a JSON object" };
}
