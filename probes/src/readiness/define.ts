/** What an agent readiness probe is: one thing that AI agents look for on a site. */
import type { ReadinessProbeId } from "@svc/contract";
import type { Site, SiteDocument } from "./site.ts";

/** pass; fail: served but not usable; missing: not served; skipped: does not apply to this run. */
export interface Finding {
  status: "pass" | "fail" | "missing" | "skipped";
  /** One line. */
  summary: string;
  details?: string[];
}

export interface ReadinessProbe {
  id: ReadinessProbeId;
  look(site: Site): Promise<Finding>;
}

export function defineReadinessProbe(id: ReadinessProbeId, look: ReadinessProbe["look"]): ReadinessProbe {
  return { id, look };
}

type Served = Extract<SiteDocument, { kind: "served" }>;

/**
 * The finding for a document that is to be text of its own: not served, unreachable, or an HTML page in its place (what many sites
 * answer for any path). Undefined when it is there to be judged.
 */
export function absence(name: string, document: SiteDocument): Finding | undefined {
  if (document.kind === "missing")
    return { status: "missing", summary: `${name} is not served (status ${document.httpStatusCode})` };
  if (document.kind === "unreachable")
    return { status: "fail", summary: `${name} could not be fetched: ${document.message}` };
  if (isHtml(document))
    return { status: "missing", summary: `${name} is not served: an HTML page is answered in its place` };
  return undefined;
}

/** Judges a document that is there; the finding of its absence otherwise. */
export async function servedText(
  name: string,
  loading: Promise<SiteDocument>,
  judge: (document: Served) => Finding,
): Promise<Finding> {
  const document = await loading;
  return absence(name, document) ?? judge(document as Served);
}

/** pass when there are no problems, else fail with the problems as details. */
export function judged(name: string, praise: string, problems: readonly string[]): Finding {
  if (problems.length === 0) return { status: "pass", summary: praise };
  return {
    status: "fail",
    summary: `${name} is served but not valid: ${problems[0]}`,
    details: [...problems],
  };
}

export function isHtml(document: Served): boolean {
  return (
    /^(text\/html|application\/xhtml\+xml)/.test(document.contentType) ||
    /^\s*<(!doctype html|html)[\s>]/i.test(document.text)
  );
}

/** The document parsed as a JSON object; undefined when it is none. */
export function jsonObject(document: Served): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(document.text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
