/** Decides when a failed attempt is repeated. Pure. */
import { backoffMs, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Age of a notification from which on no attempt is made any more, ms. */
export const RETRY_SPAN_MS = HOUR_MS;
const DELAYS = { firstMs: 2 * SECOND_MS, largestMs: 10 * MINUTE_MS };
/** Share by which a delay varies in both directions, so that attempts that failed together are not repeated together. */
const JITTER = 0.2;

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
}

/**
 * Returns the delay before the next attempt, ms: 2 s, doubled after each attempt up to 10 min, with jitter, and never
 * less than the other side asks for. Undefined when the next attempt would come too late.
 */
export function nextAttemptDelayMs({
  attempt,
  random,
  ageMs,
  retryAfterMs = 0,
}: RetryInput): number | undefined {
  const exponential = backoffMs(attempt, DELAYS);
  const jittered = exponential * (1 - JITTER + 2 * JITTER * random);
  const delayMs = Math.round(Math.max(jittered, retryAfterMs));
  return ageMs + delayMs <= RETRY_SPAN_MS ? delayMs : undefined;
}
