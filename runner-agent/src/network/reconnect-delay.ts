/** Waits between attempts to reach the control plane. */
import { backoffMs } from "@svc/contract";

/** Wait after a refusal that only an operator can end: a revoked key, or another version of the protocol. */
export const REFUSED_RETRY_MS = 30_000;

/**
 * Returns how long to wait before the next attempt. The wait doubles and half of it is random, so that a fleet which
 * lost its control plane at one instant does not come back at one.
 * @param failures attempts in a row that failed, from 1
 * @param random in [0, 1)
 */
export function reconnectDelayMs(failures: number, random: number): number {
  return backoffMs(failures, { firstMs: 100, largestMs: 5_000, jitter: 0.5 }, random);
}
