/** Time for tests: moves only when a test moves it. */
export class FakeTime {
  nowMs: number;
  #timers: { atMs: number; callback: () => void }[] = [];

  constructor(startMs = 1_800_000_000_000) {
    this.nowMs = startMs;
  }

  readonly setTimer = (callback: () => void, delayMs: number): (() => void) => {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  };

  /** Moves on, firing timers at their instants and letting promises settle after each. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.nowMs + byMs;
    for (;;) {
      await settle();
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > untilMs) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.callback();
    }
    this.nowMs = untilMs;
  }

  /** Moves the clock without firing anything: the process was held up. */
  jump(byMs: number): void {
    this.nowMs += byMs;
  }
}

/** Lets everything that waits on resolved promises run. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
