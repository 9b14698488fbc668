/** When a failed attempt is made again. Pure. */
import { HOUR_MS } from "@svc/contract";

/** After this long nobody wants to hear of it any more, ms after the notification was written. */
export const RETRY_SPAN_MS = HOUR_MS;
const FIRST_DELAY_MS = 2_000;
const DELAY_MS_MAX = 600_000;
/** A delay is drawn from this much below to this much above, so that what failed together does not come again together. */
const JITTER = 0.2;

/**
 * Delay before the next attempt: 2 s, doubled after each one up to 10 min, with jitter, never before the other side wants it.
 * @param attempt how many were made, from 1   @param random from [0, 1)   @param retryAfterMs the other side's wish
 * @param ageMs how long ago the notification was written
 * @returns ms; undefined when the next attempt would come too late
 */
export function nextAttemptDelayMs(
  attempt: number,
  random: number,
  ageMs: number,
  retryAfterMs = 0,
): number | undefined {
  const exponential = Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 30));
  const jittered = exponential * (1 - JITTER + 2 * JITTER * random);
  const delayMs = Math.round(Math.max(jittered, retryAfterMs));
  return ageMs + delayMs <= RETRY_SPAN_MS ? delayMs : undefined;
}
