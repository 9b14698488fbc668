/**
 * Requests user-given URLs, bounded in size, time and redirects, with the egress policy applied at every hop. Meant
 * for documents that are loaded or delivered. Probes time and judge their requests, and therefore send them in
 * another way.
 */
import type { Egress } from "./egress.ts";
import { exchangeHop, type Hop, type HopScope } from "./exchange-hop.ts";
import {
  GuardedFetchError,
  type GuardedRequest,
  type GuardedResponse,
  parseTarget,
  shownUrl,
} from "./guarded-request.ts";
import { isRedirectCode, redirectBecomesGet } from "./redirect-rules.ts";

const ALWAYS_SENSITIVE = ["authorization", "cookie", "proxy-authorization"];
const BODY_HEADERS = new Set(["content-type", "content-length", "content-encoding", "content-language"]);

/** Sends the request and follows redirects. Rejects with EgressDenied, GuardedFetchError or the signal's reason. */
export async function fetchGuarded(
  egress: Egress,
  target: string,
  request: GuardedRequest,
): Promise<GuardedResponse> {
  const { timeoutMs } = request;
  const limit = new AbortController();
  const timer = setTimeout(() => {
    const message = `no complete answer from ${shownUrl(target)} within ${timeoutMs} ms`;
    limit.abort(new GuardedFetchError("timeout", message));
  }, timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
  try {
    return await follow(parseTarget(target, request), { egress, request, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function follow(url: URL, scope: HopScope): Promise<GuardedResponse> {
  const { request } = scope;
  let hop: Hop = {
    url,
    method: request.method ?? "GET",
    headers: Object.entries(request.headers ?? {}),
    body: request.body,
  };
  for (let followed = 0; ; followed++) {
    const response = await exchangeHop(hop, scope);
    const { location } = response.headers;
    if (request.maxRedirects === 0 || location === undefined || !isRedirectCode(response.status))
      return response;
    if (followed === request.maxRedirects)
      throw new GuardedFetchError(
        "too_many_redirects",
        `${shownUrl(url.href)} redirects more than ${request.maxRedirects} times`,
      );
    const next = parseTarget(location, request, hop.url);
    hop = redirectBecomesGet(hop.method, response.status)
      ? { url: next, method: "GET", headers: keptHeaders(withoutBody(hop), next, request), body: undefined }
      : { ...hop, url: next, headers: keptHeaders(hop, next, request) };
  }
}

function withoutBody(hop: Hop): Hop {
  return { ...hop, headers: hop.headers.filter(([name]) => !BODY_HEADERS.has(name.toLowerCase())) };
}

/** Returns the headers of a hop that go to the next URL: at another origin neither Host nor the sensitive ones. */
function keptHeaders(hop: Hop, next: URL, request: GuardedRequest): [string, string][] {
  if (next.origin === hop.url.origin) return hop.headers;
  const names = (request.sensitiveHeaders ?? []).map((name) => name.toLowerCase());
  const dropped = new Set(["host", ...ALWAYS_SENSITIVE, ...names]);
  return hop.headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}
