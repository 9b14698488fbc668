/**
 * Time limits that are fair to whom this process waits for. A timer that is due runs before the answer that has come in
 * meanwhile is read: a process that was held, or got no CPU, would take its own lateness for the other side's. So the time
 * that the process has lost does not count, up to a bound.
 */
import { systemTiming, type Timing } from "./timing.ts";

/** Longest that a limit is in fact, as a multiple of the limit. */
export const STRETCH_MAX = 2;

/** A limit, and the source of the time that this process has lost. */
export interface FairLimitOptions {
  limitMs: number;
  /** Returns the time that this process has lost so far, ms. */
  lostMs: () => number;
  /** Called once when the limit is reached, unless the limit is cleared before. */
  onEnd: () => void;
  /** Default: the process's own. */
  timing?: Timing;
}

/** A limit that began. */
export interface FairLimit {
  /** Returns the time since the beginning that was not lost, ms. */
  spentMs(): number;
  /** Ends the limit; `onEnd` is not called any more. */
  clear(): void;
}

/**
 * Begins a limit, which ends when so much time has passed without what this process has lost of it, and at the latest
 * after {@link STRETCH_MAX} times the limit.
 */
export function beginFairLimit({
  limitMs,
  lostMs,
  onEnd,
  timing: { monotonicMs, setTimer } = systemTiming,
}: FairLimitOptions): FairLimit {
  const begun = { atMs: monotonicMs(), lostMs: lostMs() };
  const passedMs = () => monotonicMs() - begun.atMs;
  const spentMs = () => Math.max(0, passedMs() - (lostMs() - begun.lostMs));
  const restMs = () => Math.min(limitMs - spentMs(), limitMs * STRETCH_MAX - passedMs());
  const look = () => {
    const leftMs = Math.ceil(restMs());
    if (leftMs > 0) cancel = setTimer(look, leftMs);
    else onEnd();
  };
  let cancel = setTimer(look, limitMs);
  return { spentMs, clear: () => cancel() };
}
