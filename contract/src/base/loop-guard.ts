/**
 * Notices when a process's event loop was held, and by what. Pure: the process ticks it from a timer, and names the
 * work that begins. The name is kept per process, not per call chain, because following call chains (AsyncLocalStorage)
 * costs more than hot paths can spend; so a hold is reported with all the work that began shortly before, newest last.
 */

/** Time between two ticks, ms. */
export const LOOP_TICK_MS = 20;
/** Shortest hold that counts, ms. */
const LOOP_HELD_MS_MIN = 50;
/** Names of work that are remembered. */
const NAMES_MAX = 8;
/** Time between two reports, ms. */
const REPORT_INTERVAL_MS = 1_000;

/** Readings of the process at a tick. */
export interface LoopReading {
  /** Monotonic clock, ms. */
  nowMs: number;
  /** CPU time that the process has used so far, ms. */
  cpuMs: number;
}

/** A time during which the loop ran nothing else. */
export interface LoopHold {
  heldMs: number;
  /**
   * CPU time that the process used during the hold, ms: far less than `heldMs` when the machine was busy with
   * something else.
   */
  cpuMs: number;
  /** Names of the work that began last, newest last. */
  work: string[];
  /** True when this hold is to be logged: at most one a second is. */
  isReported: boolean;
  /** Number of holds since the last report that were not reported. */
  unreported: number;
}

/**
 * Measures each tick of the process against the last one, and reports a hold of the loop with the names of the work that
 * began before it.
 */
export class LoopGuard {
  readonly #names: string[] = [];
  #next = 0;
  #last: LoopReading | undefined;
  #lostMs = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #unreported = 0;

  /** Names the work that begins now: a route, a job, a message. Costs an assignment. */
  began(name: string): void {
    this.#names[this.#next] = name;
    this.#next = (this.#next + 1) % NAMES_MAX;
  }

  /** Takes a reading. Returns the hold that it ended, or undefined. Call it every {@link LOOP_TICK_MS}. */
  tick(reading: LoopReading): LoopHold | undefined {
    const last = this.#last;
    this.#last = reading;
    const heldMs = last ? reading.nowMs - last.nowMs - LOOP_TICK_MS : 0;
    this.#lostMs += Math.max(0, heldMs);
    if (!last || heldMs < LOOP_HELD_MS_MIN) return undefined;
    const isReported = reading.nowMs - this.#reportedAtMs >= REPORT_INTERVAL_MS;
    const hold = {
      heldMs: Math.round(heldMs),
      cpuMs: Math.round(reading.cpuMs - last.cpuMs),
      work: this.#recent(),
      isReported,
      unreported: this.#unreported,
    };
    this.#unreported = isReported ? 0 : this.#unreported + 1;
    if (isReported) this.#reportedAtMs = reading.nowMs;
    return hold;
  }

  /**
   * Returns the time by which ticks were late so far, ms, the one that is overdue now included: the loop could not take
   * what had come in meanwhile, because it was held or the machine was busy with something else.
   */
  lostMs(nowMs: number): number {
    return this.#lostMs + (this.#last ? Math.max(0, nowMs - this.#last.nowMs - LOOP_TICK_MS) : 0);
  }

  #recent(): string[] {
    const inOrder = [...this.#names.slice(this.#next), ...this.#names.slice(0, this.#next)];
    return [...new Set(inOrder.reverse())].reverse();
  }
}
