/**
 * The monotonic clock and the timers of a process. Parts whose order of events matters are handed them, so that a test can
 * own time; the default is the process's own.
 */
import { monotonicMs } from "./clock.ts";

/** A clock and timers that belong together. */
export interface Timing {
  /** Monotonic clock, ms since an arbitrary instant. */
  monotonicMs: () => number;
  /** Starts a one-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** The clock and timers of this process. */
export const systemTiming: Timing = {
  monotonicMs,
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`. Rejects with the signal's reason when that aborts before. */
export function sleepBy({ setTimer }: Timing, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = setTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
