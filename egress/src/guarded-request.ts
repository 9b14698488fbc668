/** Defines guarded requests: their limits, their responses and the reasons why they fail. */
import type http from "node:http";

/** A request and its limits. */
export interface GuardedRequest {
  /** Default GET. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /**
   * Names of headers, besides Authorization, Cookie and Proxy-Authorization, that are dropped when a redirect leaves
   * the origin.
   */
  sensitiveHeaders?: readonly string[];
  /** Larger responses are refused. */
  maxBytes: number;
  /** Time limit of the whole, redirects included. */
  timeoutMs: number;
  /** Redirects to follow at most; with 0 a redirect is returned like any other response. */
  maxRedirects: number;
  /** True: refuse URLs that contain a user name or password, those of redirects included. */
  refuseCredentialsInUrl?: boolean;
  signal?: AbortSignal;
  /** PEM certificates trusted instead of the built-in ones. */
  caCertificates?: readonly string[];
}

/** The response that was not a redirect, or was not followed. */
export interface GuardedResponse {
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  /** Lower-case names. */
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Kinds of failure. */
export type GuardedFetchFailure =
  | "invalid_url"
  | "credentials_in_url"
  | "too_large"
  | "timeout"
  | "too_many_redirects"
  | "network";

/** Says why a request failed, in a sentence safe to show. Refusals by the policy are EgressDenied instead. */
export class GuardedFetchError extends Error {
  readonly reason: GuardedFetchFailure;

  constructor(reason: GuardedFetchFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "GuardedFetchError";
    this.reason = reason;
  }
}

/**
 * Parses the target of a request. Its credentials are never sent: callers use the Authorization header.
 * @param base URL that `text` may be relative to
 * @throws GuardedFetchError `invalid_url` or `credentials_in_url`
 */
export function parseTarget(text: string, request: GuardedRequest, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    throw new GuardedFetchError("invalid_url", `"${text.slice(0, 200)}" is not a URL`);
  const url = new URL(text, base);
  if (request.refuseCredentialsInUrl && (url.username !== "" || url.password !== ""))
    throw new GuardedFetchError(
      "credentials_in_url",
      `the URL of ${url.host} contains a user name or password, which is not allowed`,
    );
  return url;
}

/** Returns a URL for messages: without credentials and query. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return "the URL";
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
