/**
 * The clocks and the chance of this process: the only file of the control plane that reads them. Everything else is handed
 * `Services.clock` and `Services.random`, or calls `monotonicMs`.
 */

/** The one source of wall-clock time. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Unix ms. */
  nowMs(): number;
}

/** The wall clock of this machine. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/**
 * Reads this process's monotonic clock: ms since an arbitrary instant, never set back. For durations and deadlines
 * within the process, which no jump of the wall clock may lengthen or shorten. Parts whose order of events seeded tests decide
 * are handed it with their timers, as `Timing`.
 */
export function monotonicMs(): number {
  return performance.now();
}

/**
 * Returns a random number from [0, 1), for jitter. Injected as `Services.random`; secrets come from `node:crypto`
 * instead.
 */
export const systemRandom = (): number => Math.random();
