/** Sends a request and follows its redirects, with a connection for each request. */
import { textPreview } from "../base/storable-text.ts";
import type { RunScope } from "../run/run-scope.ts";
import { openConnection } from "./connection.ts";
import { CookieJar } from "./cookies.ts";
import { exchangeHttp1 } from "./exchange-http1.ts";
import { exchangeHttp2 } from "./exchange-http2.ts";
import { HttpFailure } from "./http-failure.ts";
import { isRedirect, nextRequest, type Redirect } from "./redirects.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Decides about a redirect that the rules allow: returns the request to send instead, or why none may be sent. */
export type RedirectReview = (from: HttpRequest, to: HttpRequest) => Redirect;

/** The redirects that a run follows. */
export interface RedirectLimits {
  followRedirects: boolean;
  maxRedirects: number;
  /** Decides about each redirect before it is followed. Default: every redirect that the rules allow is followed. */
  review?: RedirectReview;
  /** Cookies of the requests before, which those of all responses are added to. Default: the request has none, and they are forgotten. */
  cookies?: CookieJar;
}

/**
 * Sends a request and follows redirects.
 * @returns the first response that is not followed further
 * @throws TargetFailure, RunnerFailure
 */
export async function followRedirects(
  first: HttpRequest,
  limits: RedirectLimits,
  scope: RunScope,
): Promise<HttpResponse> {
  const cookies = limits.cookies ?? new CookieJar();
  const keepCookies = ({ url, headers }: HttpResponse) =>
    cookies.store(url, headers.all("set-cookie"), scope.nowMs());
  let request = first;
  for (let followed = 0; ; followed++) {
    if (scope.signal.aborted) throw scope.signal.reason;
    const response = await exchange(cookies.addTo(request), limits, scope);
    if (limits.cookies) keepCookies(response);
    if (!limits.followRedirects) return response;
    const allowed = nextRequest(request, response.httpStatusCode, response.headers.get("location"));
    const next =
      allowed.kind === "follow" && limits.review ? limits.review(request, allowed.request) : allowed;
    if (next.kind === "none") return response;
    if (next.kind === "refused")
      throw new HttpFailure({ status: "error", category: "http", message: next.message, response });
    if (next.kind === "invalid") throw ruleBroken(next.message, response);
    if (followed === limits.maxRedirects)
      throw ruleBroken(
        `more than ${limits.maxRedirects} redirects (maxRedirects); the next would lead to ${textPreview(next.request.url.href)}`,
        response,
      );
    if (!limits.cookies) keepCookies(response);
    request = next.request;
  }
}

function ruleBroken(message: string, response: HttpResponse): HttpFailure {
  return new HttpFailure({ status: "failure", category: "http", message, response });
}

async function exchange(
  request: HttpRequest,
  limits: RedirectLimits,
  scope: RunScope,
): Promise<HttpResponse> {
  scope.url = request.url;
  const connection = await openConnection(request.url, scope);
  const run = connection.protocol === "h2" ? exchangeHttp2 : exchangeHttp1;
  // The body of a redirect that is followed means nothing, so the time to receive it is saved.
  const wantsBody = ({ httpStatusCode, headers }: HttpResponse) =>
    !(limits.followRedirects && isRedirect(httpStatusCode, headers.get("location")));
  try {
    return await run(connection, { request, wantsBody }, scope);
  } catch (error) {
    connection.socket.destroy(); // needed when the request could not even be started
    throw error;
  }
}
