/** Waits between attempts to connect. */

const FIRST_MS = 100;
const LARGEST_MS = 5000;
/** After a refusal that only an operator can end (revoked key, other protocol version). */
export const REFUSED_RETRY_MS = 30_000;

/**
 * How long to wait before the next attempt: doubling, with jitter over the upper half, so that a fleet that lost its
 * control plane at one moment does not come back at one.
 * @param failures attempts in a row that failed, from 1   @param random in [0, 1)
 */
export function reconnectDelayMs(failures: number, random: number): number {
  const ceilingMs = Math.min(LARGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return ceilingMs / 2 + (random * ceilingMs) / 2;
}
