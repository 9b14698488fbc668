/**
 * A process of a history: its clocks and timers, and whether it lives. Whatever a process waits for ends in one of its timers,
 * so that a process that was killed does nothing more, at whichever step it was. One that is held (stopped by the system, or
 * busy) does everything later.
 */
import type { Scheduler } from "./scheduler.ts";

/** How a process's clocks differ from true time. */
export interface ClockFault {
  /** Wall clock minus true time, ms. */
  skewMs: number;
  /** Length of its second in true seconds. */
  rate: number;
}

/** A clock that is right. */
const RIGHT_CLOCK: ClockFault = { skewMs: 0, rate: 1 };

/** One process. */
export class SimulatedProcess {
  readonly name: string;
  readonly #scheduler: Scheduler;
  readonly #clock: ClockFault;
  readonly #startedAtMs: number;
  #isAlive = true;
  #heldUntilMs = 0;
  /** Length of all holds, the rest of the present one included, ms. */
  #heldMs = 0;
  #diedAtMs: number | undefined;
  readonly #deaths: (() => void)[] = [];

  constructor(scheduler: Scheduler, name: string, clock: ClockFault = RIGHT_CLOCK) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#startedAtMs = scheduler.nowMs;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Monotonic clock, ms since the start of the process. */
  readonly monotonicMs = (): number => (this.#scheduler.nowMs - this.#startedAtMs) * this.#clock.rate;

  /** The machine's clock, Unix ms. */
  readonly wallMs = (): number => this.#startedAtMs + this.#clock.skewMs + this.monotonicMs();

  /** A one-shot timer by the process's own clock; the returned function cancels it. */
  readonly setTimer = (callback: () => void, delayMs: number): (() => void) =>
    this.after(delayMs / this.#clock.rate, callback);

  /** Runs `run` in the process after a delay of true time, unless the process has died by then. */
  after(delayMs: number, run: () => void): () => void {
    let cancel = this.#scheduler.after(delayMs, () => {
      if (!this.#isAlive) return;
      const heldMs = this.#heldUntilMs - this.#scheduler.nowMs;
      if (heldMs > 0) cancel = this.after(heldMs, run);
      else run();
    });
    return () => cancel();
  }

  /** Resolves in the process after a delay of true time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets the process do nothing for a while. */
  hold(forMs: number): void {
    const { nowMs } = this.#scheduler;
    const untilMs = Math.max(this.#heldUntilMs, nowMs + forMs);
    this.#heldMs += untilMs - Math.max(this.#heldUntilMs, nowMs);
    this.#heldUntilMs = untilMs;
  }

  /** True while the process is held. */
  get isHeld(): boolean {
    return this.#heldUntilMs > this.#scheduler.nowMs;
  }

  /** Time for which the process was held so far, ms: what the loop watch of a process measures. */
  readonly lostMs = (): number => this.#heldMs - Math.max(0, this.#heldUntilMs - this.#scheduler.nowMs);

  /** Instant of true time at which the process died; undefined while it lives. */
  get diedAtMs(): number | undefined {
    return this.#diedAtMs;
  }

  /** Calls back when the process dies. */
  onDeath(callback: () => void): void {
    this.#deaths.push(callback);
  }

  /** Ends the process at once. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#diedAtMs = this.#scheduler.nowMs;
    for (const callback of this.#deaths.splice(0)) callback();
  }
}
