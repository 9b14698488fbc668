/** Waits between attempts that fail. Pure: chance is handed in. */

/** The course of the waits between attempts. */
export interface BackoffOptions {
  /** Longest wait after the first failure, ms. */
  firstMs: number;
  /** Longest wait after many failures, ms. */
  largestMs: number;
  /**
   * Share of the wait that chance decides, 0 (none, the default) to 1, so that many who failed at one instant don't
   * come back at one.
   */
  jitter?: number;
}

/**
 * Returns how long to wait before the next attempt: `firstMs` after the first failure, doubled after each further one up to
 * `largestMs`, less a random part of at most `jitter` of that.
 * @param failures attempts in a row that failed, from 1
 * @param random in [0, 1); where it falls in the random part
 */
export function backoffMs(
  failures: number,
  { firstMs, largestMs, jitter = 0 }: BackoffOptions,
  random = 1,
): number {
  const ceilingMs = Math.min(largestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return ceilingMs * (1 - jitter) + random * ceilingMs * jitter;
}
