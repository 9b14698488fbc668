/** A request and what it is redirected to, each over a connection of its own. */

import { textPreview } from "../base/storable-text.ts";
import { TargetFailure } from "../run/failures.ts";
import type { RunScope } from "../run/run-scope.ts";
import { openConnection } from "./connection.ts";
import { CookieJar } from "./cookies.ts";
import { exchangeHttp1 } from "./exchange-http1.ts";
import { exchangeHttp2 } from "./exchange-http2.ts";
import { isRedirect, nextRequest, type Redirect } from "./redirects.ts";
import type { HttpRequest } from "./request.ts";
import type { HttpResponse } from "./response.ts";

/** Asked before a redirect is followed: the request as it may go on, or why it may not. */
export type RedirectReview = (from: HttpRequest, to: HttpRequest) => Redirect;

export interface RedirectLimits {
  followRedirects: boolean;
  maxRedirects: number;
  /** Default: what the redirect rules allow is sent. */
  review?: RedirectReview;
}

/** The response of the URL that does not redirect further. @throws TargetFailure, RunnerFailure */
export async function followRedirects(
  first: HttpRequest,
  limits: RedirectLimits,
  scope: RunScope,
): Promise<HttpResponse> {
  const cookies = new CookieJar();
  let request = first;
  for (let followed = 0; ; followed++) {
    const response = await exchange(cookies.addTo(request), limits, scope);
    if (!limits.followRedirects) return response;
    const allowed = nextRequest(request, response.httpStatusCode, response.headers.get("location"));
    const next =
      allowed.kind === "follow" && limits.review ? limits.review(request, allowed.request) : allowed;
    if (next.kind === "none") return response;
    if (next.kind === "invalid") throw ruleBroken(next.message, response);
    if (followed === limits.maxRedirects)
      throw ruleBroken(
        `more than ${limits.maxRedirects} redirects (maxRedirects); the next would lead to ${textPreview(next.request.url.href)}`,
        response,
      );
    cookies.take(response.url, response.headers.all("set-cookie"));
    request = next.request;
  }
}

function ruleBroken(message: string, response: HttpResponse): TargetFailure {
  return new TargetFailure({ status: "failure", category: "http", message, response });
}

async function exchange(
  request: HttpRequest,
  limits: RedirectLimits,
  scope: RunScope,
): Promise<HttpResponse> {
  scope.url = request.url;
  const connection = await openConnection(request.url, scope);
  const run = connection.protocol === "h2" ? exchangeHttp2 : exchangeHttp1;
  // The body of a redirect that is followed says nothing; not waiting for it saves the time.
  const wantsBody = ({ httpStatusCode, headers }: HttpResponse) =>
    !(limits.followRedirects && isRedirect(httpStatusCode, headers.get("location")));
  try {
    return await run(connection, request, wantsBody, scope);
  } catch (error) {
    connection.socket.destroy(); // also when the request could not even be started
    throw error;
  }
}
