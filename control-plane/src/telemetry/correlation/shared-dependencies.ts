/** Finds third parties on which several browser checks fail. Pure. */
import type { CheckId, NetworkRequest } from "@svc/contract";
import { getDomain } from "tldts";

/** A request of a page, as a browser result's detail holds it. */
export type PageRequest = Pick<
  NetworkRequest,
  "url" | "resourceType" | "httpStatusCode" | "errorText" | "startedAt" | "durationMs"
>;

/** A failing run of a browser check. */
export interface FailingRun {
  checkId: CheckId;
  /** Host of the check's URL; undefined: the host of its first document. */
  host: string | undefined;
  /** End of the run, Unix ms. */
  atMs: number;
  requests: readonly PageRequest[];
  /** The requests of the check's last success at the location; undefined: none is known. */
  usual?: readonly PageRequest[] | undefined;
}

/** A dependency that several checks failed on. */
export interface SharedDependency<Run extends FailingRun> {
  /** Host name. */
  dependency: string;
  /** The latest failing run of each check, oldest first. */
  runs: Run[];
}

/** Time within which failures of several checks count as one correlation. */
export const CORRELATION_WINDOW_MS = 300_000;
const CHECKS_MIN = 2;

/**
 * Returns the dependencies whose requests failed in runs of at least two checks, all within the window before the newest.
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

const knownOfRuns = new WeakMap<FailingRun, Set<string>>();

/**
 * Returns the hosts outside the check's own site whose requests failed: no answer or a server error; an answer 4xx that the
 * last success did not get; more than three times the time that it took then. The answer is remembered
 * for the run, so that whoever has many runs can ask for each in a turn of its own.
 */
export function failedThirdParties(run: FailingRun): Set<string> {
  const known = knownOfRuns.get(run) ?? findFailedThirdParties(run);
  knownOfRuns.set(run, known);
  return known;
}

function findFailedThirdParties({ host, requests, atMs, usual }: FailingRun): Set<string> {
  const first = requests.find(({ resourceType }) => resourceType === "document") ?? requests[0];
  const own = siteOf(host ?? hostOf(first?.url));
  const failed = new Set<string>();
  for (const request of requests) {
    const isAmiss = hasFailed(request) || hasHung(request, atMs) || (usual && isUnusual(request, usual));
    if (!isAmiss) continue;
    const { url } = request;
    const requested = hostOf(url);
    if (requested !== undefined && siteOf(requested) !== own) failed.add(requested);
  }
  return failed;
}

/** True when the request failed by its host. Requests that the page or the browser cancelled do not count. */
function hasFailed({ httpStatusCode, errorText }: PageRequest): boolean {
  if (errorText !== undefined) return !/ERR_ABORTED|ERR_BLOCKED_BY/.test(errorText);
  return httpStatusCode !== null && httpStatusCode >= 500;
}

/** Time without an answer after which a request that is open as its run ends was left hanging. */
const HUNG_MS = 3_000;
/** A request is slow when it takes more than so many times its usual time, and longer than the least one. */
const SLOW_TIMES = 3;
const SLOW_MS_MIN = 200;

/** True when the request had waited for its answer in vain as the run ended. */
function hasHung({ durationMs, errorText, startedAt }: PageRequest, endedAtMs: number): boolean {
  return durationMs === null && errorText === undefined && endedAtMs - Date.parse(startedAt) >= HUNG_MS;
}

/** True when the answer is a 4xx that the last success did not get, or took far longer than then. */
function isUnusual({ url, httpStatusCode, durationMs }: PageRequest, usual: readonly PageRequest[]): boolean {
  const before = usual.filter((request) => withoutQuery(request.url) === withoutQuery(url));
  if (httpStatusCode !== null && httpStatusCode >= 400 && httpStatusCode < 500)
    return !before.some((request) => request.httpStatusCode === httpStatusCode);
  const usualMs = Math.max(...before.map((request) => request.durationMs ?? 0));
  return durationMs !== null && durationMs > SLOW_MS_MIN && usualMs > 0 && durationMs > SLOW_TIMES * usualMs;
}

function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] as string;
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname || undefined : undefined;
}

/** Returns the registrable domain, which all hosts of a site share; an address or a bare name is a site of its own. */
function siteOf(host: string | undefined): string | undefined {
  return host === undefined ? undefined : (getDomain(host) ?? host);
}
