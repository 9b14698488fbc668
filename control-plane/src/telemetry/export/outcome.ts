/** Outcomes of an attempt to deliver a request, and the delay before the next attempt. Pure. */
import { backoffMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { EgressDenied, GuardedFetchError } from "@svc/egress";
import type { PartialSuccess } from "./encode.ts";

/** The endpoint accepted the request; it may still have rejected single records (`partialSuccess`). */
export interface Delivered {
  kind: "delivered";
  httpStatus: number | null;
  grpcStatus: number | null;
  partialSuccess?: PartialSuccess | undefined;
  /** A remark on an answer that accepts the request but is malformed. */
  warning?: string;
}

/** The request was not accepted, or no answer came. */
export interface Undelivered {
  /**
   * `refused`: the endpoint calls these records malformed, so sending them again is useless. `held`: anything else, such as
   * an endpoint that is away or a wrong token; the records are kept and sent again.
   */
  kind: "refused" | "held";
  message: string;
  httpStatus: number | null;
  grpcStatus: number | null;
  /** The delay that the endpoint asks for. */
  retryAfterMs?: number | undefined;
}

/** Outcome of one attempt to deliver a request. */
export type SendOutcome = Delivered | Undelivered;

/** Statuses that refuse the records: bad request, content too large, unprocessable content. */
const REFUSING_HTTP = new Set([400, 413, 422]);
/** Statuses that refuse the records: INVALID_ARGUMENT. RESOURCE_EXHAUSTED is about load and is held. */
const REFUSING_GRPC = new Set([3]);

/**
 * Returns the outcome of an answer other than a success: `refused` when its status says that sending again won't help,
 * else `held`.
 */
export function httpFailure(httpStatus: number, message: string, retryAfterMs?: number): Undelivered {
  const kind = REFUSING_HTTP.has(httpStatus) ? "refused" : "held";
  return { kind, message, httpStatus, grpcStatus: null, retryAfterMs };
}

/** Returns the outcome of a gRPC status other than OK: `refused` when it says that sending again won't help, else `held`. */
export function grpcFailure(grpcStatus: number, message: string, retryAfterMs?: number): Undelivered {
  const kind = REFUSING_GRPC.has(grpcStatus) ? "refused" : "held";
  return { kind, message, httpStatus: null, grpcStatus, retryAfterMs };
}

/** Returns the outcome of an attempt that got no answer. */
export function noAnswer(error: unknown): Undelivered {
  const isKnown = error instanceof EgressDenied || error instanceof GuardedFetchError;
  const message = error instanceof Error ? error.message : String(error);
  return {
    kind: "held",
    message: isKnown ? message : `no answer: ${message}`,
    httpStatus: null,
    grpcStatus: null,
  };
}

const DELAYS = { firstMs: SECOND_MS, largestMs: MINUTE_MS };
/** Longest delay that the endpoint can ask for. */
const RETRY_AFTER_MS_MAX = HOUR_MS;
/** Share by which a delay varies in both directions. */
const JITTER = 0.2;

/**
 * Returns the delay before the next attempt: 1 s, doubled up to a minute, with jitter, and not shorter than the endpoint
 * asks for (up to 1 h). There is no last attempt: records wait until they are older than results are kept.
 * @param failures number of attempts that failed in a row, from 1
 * @param random from [0, 1)
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const exponential = backoffMs(failures, DELAYS);
  const jittered = exponential * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}
