/** The one source of time. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Unix ms. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
