/** Where a redirect leads and what may go with it. Pure. Follows the Fetch standard as browsers do. */
import type { HttpRequest } from "./request.ts";

const REDIRECT_CODES = new Set([301, 302, 303, 307, 308]);

/** Headers that say nothing about who asks; every other one may be a credential and stays with its origin. */
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

export type Redirect =
  | { kind: "none" }
  | { kind: "follow"; request: HttpRequest }
  | { kind: "invalid"; message: string };

/** Whether a response with this status and Location header asks to go elsewhere. */
export function isRedirect(httpStatusCode: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECT_CODES.has(httpStatusCode);
}

/**
 * The request that follows a response. 303 becomes GET (HEAD stays), a POST answered 301 or 302 becomes GET, anything else keeps
 * method and body. Crossing origins leaves all but ordinary headers behind, and the Host override in any case of a new host.
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
      message: `the redirect leads to "${location.slice(0, 200)}", which is not a URL`,
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

  const becomesGet =
    (httpStatusCode === 303 && request.method !== "HEAD" && request.method !== "GET") ||
    ((httpStatusCode === 301 || httpStatusCode === 302) && request.method === "POST");
  const crossesOrigin = url.origin !== request.url.origin;
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && BODY_HEADERS.has(lower)) return false;
    return !crossesOrigin || ORDINARY_HEADERS.has(lower);
  });
  return {
    kind: "follow",
    request: {
      url,
      method: becomesGet ? "GET" : request.method,
      headers,
      host: crossesOrigin ? undefined : request.host,
      body: becomesGet ? undefined : request.body,
    },
  };
}

/** Header text is Latin-1 to node; servers that put other characters into Location mean UTF-8, and browsers read it so. */
function asUtf8(location: string): string {
  if (!/[\u0080-\u00ff]/.test(location)) return location;
  const text = Buffer.from(location, "latin1").toString("utf8");
  return text.includes("\ufffd") ? location : text;
}
