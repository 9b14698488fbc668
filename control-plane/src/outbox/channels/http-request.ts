/** HTTP requests of channels: JSON through the egress policy, with the answer judged as success, retryable or final. */
import { firstCharacters, isObject, oneLine } from "@svc/contract";
import { fetchGuarded, GuardedFetchError, type GuardedResponse, shownUrl } from "@svc/egress";
import { retryAfterMsOf } from "../../platform/http/retry-after.ts";
import { VERSION } from "../../platform/version.ts";
import { type SendContext, SendError } from "./sender.ts";

/** A request to the other side of a channel. */
export interface ChannelRequest {
  url: string;
  method: "POST" | "PUT" | "PATCH" | "GET";
  headers?: Record<string, string>;
  /** A value that is sent as JSON. */
  body?: unknown;
  /** JSON that is sent as it is, instead of `body`. */
  text?: string;
  /**
   * Returns the delay that a refusal asks for in a form of the other side's own, ms; undefined: it names none. The longer one
   * of this and Retry-After counts.
   */
  retryAfterMs?: (refusal: GuardedResponse) => number | undefined;
}

/** Time limit of one request, ms, by the clock. The signal of a sender's attempt ends earlier, and fairly. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Largest answer that is read. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** Most characters of an answer that an error message quotes. */
const ANSWER_SHOWN_MAX = 200;

const USER_AGENT = `svc-notifications/${VERSION}`;

/** Headers that frame the body or belong to the connection: the service sets them, whatever the channel says. */
const OWN_HEADERS = new Set([
  "content-type",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "proxy-connection",
]);

/**
 * Sends a request and returns a 2xx answer; any other answer is a SendError. Redirects are not followed: a POST would lose
 * its body when it becomes a GET, and the redirect could lead where the egress policy forbids.
 * @throws SendError, EgressDenied, GuardedFetchError, or the signal's reason
 */
export async function sendRequest(
  { egress, signal, nowMs }: Pick<SendContext, "egress" | "signal" | "nowMs">,
  request: ChannelRequest,
): Promise<GuardedResponse> {
  const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await fetchGuarded(egress, request.url, {
    method: request.method,
    headers: headersOfRequest(request.headers ?? {}, body),
    ...(body === undefined ? {} : { body }),
    maxBytes: ANSWER_BYTES_MAX,
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxRedirects: 0,
    signal,
  }).catch((error) => {
    throw withoutPath(error, request.url);
  });
  if (response.status >= 200 && response.status < 300) return response;
  throw refusal(response, { nowMs: nowMs(), retryAfterMs: request.retryAfterMs });
}

/** Returns the object that an answer holds as JSON; an empty one when it holds none. */
export function jsonOf({ body }: Pick<GuardedResponse, "body">): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"));
    return isObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Returns a count of seconds as ms, for retry hints of answers; undefined when it is none. */
export function secondsAsMs(seconds: unknown): number | undefined {
  const count = typeof seconds === "string" && seconds.trim() !== "" ? Number(seconds) : seconds;
  return typeof count === "number" && Number.isFinite(count) && count >= 0
    ? Math.ceil(count * 1000)
    : undefined;
}

/** Returns the failure with the origin of the channel's URL alone: its path is often the credential. */
function withoutPath(error: unknown, url: string): unknown {
  if (!(error instanceof GuardedFetchError) || !URL.canParse(url)) return error;
  const message = error.message.replaceAll(shownUrl(url), new URL(url).origin);
  return new GuardedFetchError(error.reason, message, { cause: error });
}

/** Returns the headers of a request: those that the channel gives, and the service's own. */
export function headersOfRequest(
  given: Readonly<Record<string, string>>,
  body: string | undefined,
): Record<string, string> {
  return {
    "User-Agent": USER_AGENT,
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))),
    ...(body === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }),
  };
}

/** Returns the error of an answer that is not 2xx: 408, 429 and 5xx may be retried, any other is final. */
function refusal(
  response: GuardedResponse,
  { nowMs, retryAfterMs }: { nowMs: number; retryAfterMs: ChannelRequest["retryAfterMs"] },
): SendError {
  const { status, headers } = response;
  const mayRetry = status === 408 || status === 429 || status >= 500;
  const hints = [retryAfterMsOf(headers["retry-after"], nowMs), retryAfterMs?.(response)].filter(
    (hint) => hint !== undefined,
  );
  return new SendError(describe(response), {
    mayRetry,
    httpStatus: status,
    ...(mayRetry && hints.length > 0 && { retryAfterMs: Math.max(...hints) }),
  });
}

function describe({ status, headers, body }: GuardedResponse): string {
  if (status >= 300 && status < 400)
    return `the endpoint answered ${status}, a redirect${headers.location ? ` to ${originOf(headers.location)}` : ""}; redirects are not followed`;
  const text = oneLine(body.toString("utf8"));
  return `the endpoint answered ${status}${text === "" ? "" : `: ${firstCharacters(text, ANSWER_SHOWN_MAX)}`}`;
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another path";
}
