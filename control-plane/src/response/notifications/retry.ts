/** Decides when a failed attempt is repeated. Pure. */
import { backoffMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Age of a notification from which on no attempt is made any more, ms. */
export const RETRY_SPAN_MS = HOUR_MS;
const DELAYS = { firstMs: 2 * SECOND_MS, largestMs: 10 * MINUTE_MS };
/** Share by which a delay varies in both directions, so that attempts that failed together are not repeated together. */
const JITTER = 0.2;

/** Most attempts that are repeated at once, because this process itself was late. */
const AT_ONCE_MAX = 3;

/** The attempts that failed so far, and the wish of the other side. */
export interface RetryInput {
  /** Number of attempts that were made, from 1. */
  attempt: number;
  /** Random number from [0, 1), for the jitter. */
  random: number;
  /** Time since the notification was written, ms. */
  ageMs: number;
  /** Delay that the other side asks for, ms. Default none. */
  retryAfterMs?: number | undefined;
  /** True when the attempt failed because this process was late, whatever the other side did. Default false. */
  wasOurs?: boolean;
}

/**
 * Returns the delay before the next attempt, ms: 2 s, doubled after each attempt up to 10 min, with jitter, and never
 * less than the other side asks for. The first attempts that failed by a fault of this process are repeated at once.
 * Undefined when the next attempt would come too late.
 */
export function nextAttemptDelayMs({
  attempt,
  random,
  ageMs,
  retryAfterMs = 0,
  wasOurs = false,
}: RetryInput): number | undefined {
  const exponential = backoffMs(attempt, DELAYS);
  const isAtOnce = wasOurs && attempt <= AT_ONCE_MAX;
  const jittered = isAtOnce ? 0 : exponential * (1 - JITTER + 2 * JITTER * random);
  const delayMs = Math.round(Math.max(jittered, retryAfterMs));
  return ageMs + delayMs <= RETRY_SPAN_MS ? delayMs : undefined;
}
