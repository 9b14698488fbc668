/** What an attempt to deliver a request came to, and what is to be done then. Pure. */
import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import { EgressDenied, GuardedFetchError } from "@svc/egress";
import type { PartialSuccess } from "./encode.ts";

export interface Delivered {
  kind: "delivered";
  httpStatus: number | null;
  grpcStatus: number | null;
  partialSuccess?: PartialSuccess | undefined;
  /** What is odd about the answer though it says yes. */
  warning?: string;
}

export interface Undelivered {
  /**
   * refused: the endpoint calls these very records malformed; sending them again is no use. held: everything else, an
   * endpoint that is away as well as a wrong token: the records are kept and tried again.
   */
  kind: "refused" | "held";
  message: string;
  httpStatus: number | null;
  grpcStatus: number | null;
  /** The endpoint's wish, ms. */
  retryAfterMs?: number | undefined;
}

export type Outcome = Delivered | Undelivered;

/** Bad request, content too large, unprocessable content. */
const REFUSING_HTTP = new Set([400, 413, 422]);
/** INVALID_ARGUMENT; RESOURCE_EXHAUSTED is about load and is held. */
const REFUSING_GRPC = new Set([3]);

export function httpFailure(httpStatus: number, message: string, retryAfterMs?: number): Undelivered {
  const kind = REFUSING_HTTP.has(httpStatus) ? "refused" : "held";
  return { kind, message, httpStatus, grpcStatus: null, retryAfterMs };
}

export function grpcFailure(grpcStatus: number, message: string, retryAfterMs?: number): Undelivered {
  const kind = REFUSING_GRPC.has(grpcStatus) ? "refused" : "held";
  return { kind, message, httpStatus: null, grpcStatus, retryAfterMs };
}

/** An attempt that got no answer. */
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

const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = MINUTE_MS;
/** A wish beyond this is not followed. */
const RETRY_AFTER_MS_MAX = HOUR_MS;
const JITTER = 0.2;

/**
 * Delay before the next attempt: 1 s, doubled up to a minute, with jitter, never before the endpoint wants it (up to 1 h).
 * There is no last attempt: records wait until they are older than results are kept.
 * @param failures how many attempts failed in a row, from 1   @param random from [0, 1)
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number {
  const exponential = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 20));
  const jittered = exponential * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX)));
}
