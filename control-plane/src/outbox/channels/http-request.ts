/** One HTTP request of a channel: JSON out, through the egress policy, and what the answer means for a delivery. */
import { oneLine } from "@svc/contract";
import { type Egress, fetchGuarded, type GuardedResponse } from "@svc/egress";
import { retryAfterMsOf } from "../../platform/http/retry-after.ts";
import { VERSION } from "../../platform/version.ts";
import { SendError } from "./sender.ts";

export interface ChannelRequest {
  url: string;
  method: "POST" | "PUT" | "PATCH" | "GET";
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** In place of `body`: JSON as it is to be sent. */
  text?: string;
}

/** Longest that one request may take, ms; a sender's attempt as a whole ends by its signal. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Of an answer more than this is not looked at. */
const ANSWER_BYTES_MAX = 256 * 1024;
/** Of an answer this much is shown. */
const ANSWER_SHOWN_MAX = 200;

const USER_AGENT = `svc-notifications/${VERSION}`;

/** Headers that belong to the connection or to the body that is really sent. */
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
 * Sends and judges: 2xx is an answer, everything else a SendError. Redirects are not followed: a POST that becomes a GET
 * loses what it had to say, and a redirect could lead where the policy does not.
 * @throws SendError, EgressDenied, GuardedFetchError, or the signal's reason
 */
export async function sendRequest(
  egress: Egress,
  request: ChannelRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const given = Object.entries(request.headers ?? {}).filter(
    ([name]) => !OWN_HEADERS.has(name.toLowerCase()),
  );
  const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await fetchGuarded(egress, request.url, {
    method: request.method,
    headers: {
      "User-Agent": USER_AGENT,
      ...Object.fromEntries(given),
      ...(body === undefined
        ? {}
        : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(body)) }),
    },
    ...(body === undefined ? {} : { body }),
    maxBytes: ANSWER_BYTES_MAX,
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxRedirects: 0,
    signal,
  });
  if (response.status >= 200 && response.status < 300) return response;
  throw refusal(response);
}

/** 408, 429 and what is the server's own trouble may be gone later; any other answer stays as it is. */
function refusal(response: GuardedResponse): SendError {
  const { status, headers } = response;
  const mayRetry = status === 408 || status === 429 || status >= 500;
  const retryAfterMs = mayRetry ? retryAfterMsOf(headers["retry-after"]) : undefined;
  return new SendError(describe(response), {
    mayRetry,
    httpStatus: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function describe({ status, headers, body }: GuardedResponse): string {
  if (status >= 300 && status < 400)
    return `the endpoint answered ${status}, a redirect${headers.location ? ` to ${originOf(headers.location)}` : ""}; redirects are not followed`;
  const text = oneLine(body.toString("utf8"));
  return `the endpoint answered ${status}${text === "" ? "" : `: ${text.slice(0, ANSWER_SHOWN_MAX)}`}`;
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : "another path";
}
