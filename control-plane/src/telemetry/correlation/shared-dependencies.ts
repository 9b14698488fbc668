/** Third parties that failing browser checks have in common. Pure. */
import type { NetworkRequest } from "@svc/contract";
import { getDomain } from "tldts";

/** A request of a page, as a browser result's detail holds it. */
export type PageRequest = Pick<NetworkRequest, "url" | "resourceType" | "httpStatusCode" | "errorText">;

/** A failing run of a browser check. */
export interface FailingRun {
  checkId: string;
  /** Host that the check is about; undefined: that of its first document. */
  host: string | undefined;
  /** Unix ms. */
  atMs: number;
  requests: readonly PageRequest[];
}

/** A dependency that several checks failed on. */
export interface SharedDependency<Run extends FailingRun> {
  /** Host name. */
  dependency: string;
  /** The latest failing run of each check, oldest first. */
  runs: Run[];
}

/** Two or more checks within this share what failed for both. */
export const CORRELATION_WINDOW_MS = 300_000;
const CHECKS_MIN = 2;

/**
 * Dependencies whose requests failed in runs of at least two checks that lie within the window of one another.
 * @param runs of one team, in any order
 */
export function sharedDependencies<Run extends FailingRun>(runs: readonly Run[]): SharedDependency<Run>[] {
  const byDependency = new Map<string, Run[]>();
  for (const run of runs)
    for (const dependency of failedThirdParties(run)) {
      const known = byDependency.get(dependency);
      if (known) known.push(run);
      else byDependency.set(dependency, [run]);
    }
  return [...byDependency].flatMap(([dependency, of]) => {
    const newestMs = of.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
    const latest = new Map<string, Run>();
    for (const run of of.toSorted((a, b) => a.atMs - b.atMs))
      if (run.atMs > newestMs - CORRELATION_WINDOW_MS) latest.set(run.checkId, run);
    const together = [...latest.values()].sort((a, b) => a.atMs - b.atMs);
    return together.length >= CHECKS_MIN ? [{ dependency, runs: together }] : [];
  });
}

/** Hosts other than the check's own site whose requests failed: no answer, or a server error. */
export function failedThirdParties({ host, requests }: FailingRun): Set<string> {
  const first = requests.find(({ resourceType }) => resourceType === "document") ?? requests[0];
  const own = siteOf(host ?? hostOf(first?.url));
  const failed = new Set<string>();
  for (const request of requests) {
    if (!hasFailed(request)) continue;
    const { url } = request;
    const requested = hostOf(url);
    if (requested !== undefined && siteOf(requested) !== own) failed.add(requested);
  }
  return failed;
}

/** What the page or the browser itself gave up says nothing of who was asked. */
function hasFailed({ httpStatusCode, errorText }: PageRequest): boolean {
  if (errorText !== undefined) return !/ERR_ABORTED|ERR_BLOCKED_BY/.test(errorText);
  return httpStatusCode !== null && httpStatusCode >= 500;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/** The registrable domain, so that a site's own hosts count as it; addresses and bare names are sites of their own. */
function siteOf(host: string | undefined): string | undefined {
  return host === undefined ? undefined : (getDomain(host) ?? host);
}
