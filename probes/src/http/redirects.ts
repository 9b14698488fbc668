/** Decides where a redirect leads and which headers go along. Pure. Follows the Fetch standard, as browsers do. */
import { isRedirectCode, redirectBecomesGet } from "@svc/egress";
import { textStart } from "../base/storable-text.ts";
import type { HttpRequest } from "./request.ts";

/** Headers that say nothing about the sender. Any other header may be a credential and stays with its origin. */
const ORDINARY_HEADERS = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-type",
  "dnt",
  "pragma",
  "traceparent",
  "upgrade-insecure-requests",
  "user-agent",
]);

const BODY_HEADERS = new Set(["content-encoding", "content-language", "content-location", "content-type"]);

/**
 * Where a response leads: nowhere, to another request, or nowhere because the target's redirect is broken (`invalid`)
 * or because following it would give something away that the check didn't allow (`refused`).
 */
export type Redirect =
  | { kind: "none" }
  | { kind: "follow"; request: HttpRequest }
  | { kind: "invalid"; message: string }
  | { kind: "refused"; message: string };

/** True when a response with this status and Location header redirects. */
export function isRedirect(httpStatusCode: number, location: string | undefined): location is string {
  return location !== undefined && isRedirectCode(httpStatusCode);
}

/**
 * Returns the request that follows a response. 303 becomes GET (HEAD stays HEAD), a POST answered with 301 or 302
 * becomes GET, and any other request keeps method and body. When the origin changes, only ordinary headers go along,
 * the Host override stays behind, and a body is sent only where the request says so.
 */
export function nextRequest(
  request: HttpRequest,
  httpStatusCode: number,
  location: string | undefined,
): Redirect {
  if (!isRedirect(httpStatusCode, location)) return { kind: "none" };
  if (!URL.canParse(asUtf8(location), request.url.href))
    return {
      kind: "invalid",
      message: `the redirect leads to "${textStart(location, 200)}", which is not a URL`,
    };
  const url = new URL(asUtf8(location), request.url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return {
      kind: "invalid",
      message: `the redirect leads to ${url.protocol}, which is not http: or https:`,
    };
  if (url.hash === "") url.hash = request.url.hash;
  url.username = "";
  url.password = "";

  const becomesGet = request.method !== "GET" && redirectBecomesGet(request.method, httpStatusCode);
  const crossesOrigin = url.origin !== request.url.origin;
  if (crossesOrigin && request.body !== undefined && !becomesGet && request.mayResendBody !== true)
    return {
      kind: "refused",
      message: `the redirect leads to ${url.origin}, another origin, and the request body may not be sent there; set resendBody: any to allow it`,
    };
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && BODY_HEADERS.has(lower)) return false;
    return !crossesOrigin || ORDINARY_HEADERS.has(lower);
  });
  return {
    kind: "follow",
    request: {
      ...request,
      url,
      method: becomesGet ? "GET" : request.method,
      headers,
      host: crossesOrigin ? undefined : request.host,
      body: becomesGet ? undefined : request.body,
    },
  };
}

/**
 * Reads a Location header as UTF-8 where that is what it holds. Node reads header text as Latin-1, while servers that
 * put other characters into Location mean UTF-8, and browsers read it so.
 */
function asUtf8(location: string): string {
  if (!/[\u0080-\u00ff]/.test(location)) return location;
  const text = Buffer.from(location, "latin1").toString("utf8");
  return text.includes("\ufffd") ? location : text;
}
