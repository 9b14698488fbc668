/** The one source of wall-clock time. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Unix ms. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };
