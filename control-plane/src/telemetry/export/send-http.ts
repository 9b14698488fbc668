/** Sends OTLP over HTTP: one gzip-compressed POST per request, through the egress policy. */
import { type Egress, fetchGuarded } from "@svc/egress";
import { retryAfterMsOf } from "../../platform/http/retry-after.ts";
import { VERSION } from "../../platform/version.ts";
import type { Payload } from "./batch.ts";
import { type Encoding, encode, partialSuccessOf } from "./encode.ts";
import { ANSWER_BYTES_MAX, type OtlpRequest, shownText, signalUrl } from "./endpoint.ts";
import { httpFailure, type SendOutcome } from "./outcome.ts";

/** User agent of the export's requests, in the form that the OTLP specification asks for. */
export const USER_AGENT = `OTel-OTLP-Exporter-svc/${VERSION}`;
const CONTENT_TYPES: Record<Encoding, string> = {
  protobuf: "application/x-protobuf",
  json: "application/json",
};

/**
 * Sends one request.
 * @throws EgressDenied, GuardedFetchError, or the signal's reason
 */
export async function sendHttp(
  egress: Egress,
  { endpoint, payload }: OtlpRequest,
  { nowMs, ...options }: { timeoutMs: number; signal?: AbortSignal; nowMs: () => number },
): Promise<SendOutcome> {
  const encoding = endpoint.protocol === "http/json" ? "json" : "protobuf";
  const response = await fetchGuarded(egress, signalUrl(endpoint.url, payload.signal), {
    ...options,
    method: "POST",
    headers: {
      "User-Agent": USER_AGENT,
      ...endpoint.headers,
      "Content-Type": CONTENT_TYPES[encoding],
      "Content-Encoding": "gzip",
    },
    body: await encode(payload, encoding),
    maxBytes: ANSWER_BYTES_MAX,
    maxRedirects: 0,
    ...(endpoint.caCertificate === null ? {} : { caCertificates: [endpoint.caCertificate] }),
  });
  const { status, headers, body } = response;
  if (status < 200 || status >= 300)
    return httpFailure(status, describe(status, body), retryAfterMsOf(headers["retry-after"], nowMs()));
  return {
    kind: "delivered",
    httpStatus: status,
    grpcStatus: null,
    ...readAnswer(payload, encoding, response),
  };
}

/** Reads the body of an answer with a status of success. A body that can't be decoded is only a warning. */
function readAnswer(
  { signal }: Payload,
  encoding: Encoding,
  { headers, body }: { headers: Record<string, unknown>; body: Buffer },
) {
  const type = String(headers["content-type"] ?? CONTENT_TYPES[encoding])
    .split(";")[0]
    ?.trim();
  if (body.length > 0 && type !== CONTENT_TYPES[encoding])
    return { warning: `the endpoint answered ${type} instead of ${CONTENT_TYPES[encoding]}` };
  try {
    return { partialSuccess: partialSuccessOf(signal, encoding, body) };
  } catch {
    return { warning: "the endpoint's answer can't be read" };
  }
}

function describe(status: number, body: Buffer): string {
  if (status >= 300 && status < 400)
    return `the endpoint answered ${status}, a redirect; redirects are not followed`;
  const text = shownText(body.toString("utf8"));
  return `the endpoint answered ${status}${text === "" ? "" : `: ${text}`}`;
}
