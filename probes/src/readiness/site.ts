/**
 * Fetches the documents of a site for the readiness probes. Each path is fetched once, however many probes look at
 * it.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import { firstRequest, withHeader } from "../http/request.ts";
import { newTraceContext } from "../http/trace-context.ts";
import { type HttpAttempt, type HttpAttemptPlan, runHttpAttempt } from "../http-attempt/attempt.ts";
import { RunnerFailure } from "../run/failures.ts";
import type { ProbeContext } from "../run/probe.ts";
import { parseRobots, type Robots } from "./robots.ts";

/** A document of the site, or the reason why there is none. */
export type SiteDocument =
  | { kind: "served"; url: URL; contentType: string; text: string; header(name: string): string | undefined }
  | { kind: "missing"; httpStatusCode: number }
  | { kind: "unreachable"; message: string };

/** A watched site as the readiness probes see it. */
export interface Site {
  /** The page that the check watches. */
  page: URL;
  /** Unix ms of the corrected clock. */
  nowMs: number;
  /**
   * Fetches a path of the page's origin, or a full URL. Each caller gets the document in a turn of the event loop of its
   * own, so that only one probe reads a document in a turn, however many wait for it.
   * @throws RunnerFailure
   */
  fetch(path: string, accept?: string): Promise<SiteDocument>;
  /**
   * Returns robots.txt as it was answered, and its rules, read once: none unless it was served.
   * @throws RunnerFailure
   */
  robots(): Promise<{ document: SiteDocument; robots: Robots }>;
  /** Returns the page as the check itself received it. */
  pageDocument(): Promise<SiteDocument>;
}

/** Time limit of each request. The check's own limit applies when that is shorter. */
const REQUEST_TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 5;
const REQUESTS_AT_ONCE = 3;
/** Largest part of a document that probes read: all of a site's small files, and the beginning of anything larger. */
const TEXT_CHARACTERS_MAX = 1024 * 1024;

/** The time limit of a check, and the way its connections are made. */
export type SiteLimits = Pick<HttpAttemptPlan, "timeoutMs" | "connection">;

/**
 * Returns the site of a check.
 * @param baseline the check's own attempt, with a response
 */
export function siteOf(
  baseline: HttpAttempt,
  { timeoutMs, connection }: SiteLimits,
  context: ProbeContext,
): Site {
  const { response } = baseline;
  if (!response) throw new RunnerFailure("crash", "readiness needs a response");
  const page = new URL(response.url);
  page.hash = "";
  const documents = new Map<string, Promise<SiteDocument>>();
  const limit = pLimit(REQUESTS_AT_ONCE);
  const readInTurn = pLimit(1);
  const inOwnTurn = <T>(loading: Promise<T>): Promise<T> =>
    loading.then((loaded) => readInTurn(() => nextTurn(loaded)));
  const load = (path: string, accept = "*/*"): Promise<SiteDocument> => {
    const url = new URL(path, page);
    const key = `${url.href} ${accept}`;
    const known = documents.get(key);
    if (known) return known;
    const document = limit(() =>
      loadDocument(
        { url, accept, limits: { timeoutMs: Math.min(timeoutMs, REQUEST_TIMEOUT_MS), connection } },
        context,
      ),
    );
    documents.set(key, document);
    return document;
  };
  const fetch: Site["fetch"] = (path, accept) => inOwnTurn(load(path, accept));
  let robots: ReturnType<Site["robots"]> | undefined;
  return {
    page,
    nowMs: context.nowMs(),
    fetch,
    robots: () => {
      robots ??= fetch("/robots.txt").then((document) => ({
        document,
        robots: parseRobots(document.kind === "served" ? document.text : ""),
      }));
      return inOwnTurn(robots);
    },
    pageDocument: () =>
      response.method === "GET" ? inOwnTurn(documentOf(baseline)) : fetch(page.href, "text/html,*/*;q=0.8"),
  };
}

async function loadDocument(
  { url, accept, limits }: { url: URL; accept: string; limits: SiteLimits },
  context: ProbeContext,
): Promise<SiteDocument> {
  // The request is that of a stranger: it carries none of the check's headers or credentials.
  const request = firstRequest(
    { url: url.href, method: "GET", headers: { Accept: accept } },
    { userAgent: context.userAgent },
  );
  const redirects = { followRedirects: true, maxRedirects: REDIRECTS_MAX };
  return documentOf(
    await runHttpAttempt(
      {
        request: withHeader(request, "traceparent", newTraceContext().traceparent),
        redirects,
        ...limits,
        keepsBody: true,
        readsBody: false,
        assertions: [],
      },
      context,
    ),
  );
}

async function documentOf({ status, errorMessage, response, body }: HttpAttempt): Promise<SiteDocument> {
  if (status === "error" || status === "timeout" || !response || !body)
    return { kind: "unreachable", message: errorMessage ?? status };
  const { httpStatusCode, headers, url } = response;
  if (httpStatusCode >= 500 || httpStatusCode === 429)
    return { kind: "unreachable", message: `${url.host} answered ${httpStatusCode}` };
  if (httpStatusCode < 200 || httpStatusCode >= 300) return { kind: "missing", httpStatusCode };
  await body.prepare();
  return {
    kind: "served",
    url,
    contentType: (headers.get("content-type") ?? "").toLowerCase(),
    text: body.textOrNothing().slice(0, TEXT_CHARACTERS_MAX),
    header: (name) => headers.get(name),
  };
}
