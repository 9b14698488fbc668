/** The clocks and the chance of this machine: the only file of the agent that reads them. `start-agent.ts` hands them in. */

/** Clocks and chance, injected so that tests own them. */
export interface Machine {
  /** A clock that never goes back, ms with fractions; its origin is arbitrary. */
  monotonicMs: () => number;
  /** The machine's clock, Unix ms. The control plane's time is the corrected clock's (`clock/corrected-clock.ts`). */
  wallMs: () => number;
  /** A number from [0, 1), for jitter. */
  random: () => number;
}

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
};
