/**
 * Runs rounds of work: one at a time, woken by hand, by a timer and by wake-ups of the database. Whoever wakes it while a
 * round is under way gets one more round after it, so that nothing committed before the call is missed.
 */
import type { Logger } from "pino";
import type { WakeUps } from "./db/wake-ups.ts";
import { FailureLog } from "./failure-log.ts";
import { beganWork } from "./loop-watch.ts";
import { systemTiming, type Timing } from "./timing.ts";

/** One round of the work, and everything that starts rounds. Intervals in ms. */
export interface WakeableWorkerOptions {
  log: Logger;
  /** Log line of a round that failed. */
  failureMessage: string;
  pollIntervalMs: number;
  /** Default: the process's own. */
  timing?: Timing | undefined;
  /** The database's wake-ups to listen to; without it only the timer and `wake` start rounds. */
  wakeUps?: WakeUps;
  /**
   * One round.
   * @param signal aborted by `close`: take on nothing new
   * @returns true when more is waiting, so that the next round begins at once
   */
  work: (signal: AbortSignal) => Promise<boolean>;
}

/** Runs rounds of work until it is closed. A round that throws is logged as {@link FailureLog} says, and the next one is tried. */
export class WakeableWorker {
  readonly #options: WakeableWorkerOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #cancelTimer = () => {};
  readonly #failures: FailureLog;

  constructor(options: WakeableWorkerOptions) {
    this.#options = options;
    const { log, failureMessage: message, timing } = options;
    this.#failures = new FailureLog({ log, message, timing });
  }

  /** Aborted once the worker is closed. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** True when the newest round that ended has failed. */
  get hasFailed(): boolean {
    return this.#failures.hasFailed;
  }

  /** Starts the timer, the listening and the first round. */
  start(): void {
    const { wakeUps, pollIntervalMs, timing = systemTiming } = this.#options;
    wakeUps?.listen({ onWakeUp: () => this.wake(), signal: this.signal });
    const { setTimer } = timing;
    const pollLater = () => {
      this.#cancelTimer = setTimer(() => {
        pollLater();
        this.wake();
      }, pollIntervalMs);
    };
    pollLater();
    this.wake();
  }

  /** Asks for a round that begins after this call. Calls during a round share the one that follows. */
  wake(): void {
    if (!this.signal.aborted) void this.nextRound().catch(() => undefined);
  }

  /**
   * Resolves after a round that began after this call, so that it saw whatever was committed before.
   * @throws the error of that round, which is logged already
   */
  nextRound(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#round().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.nextRound();
      });
    return this.#next;
  }

  /** Ends the timer and the listening, and resolves when the round under way has ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#cancelTimer();
    await this.#running?.catch(() => undefined);
  }

  async #round(): Promise<void> {
    if (this.signal.aborted) return;
    beganWork(`worker of ${this.#options.wakeUps?.channel ?? "a timer"}`);
    try {
      if (await this.#options.work(this.signal)) this.wake();
      this.#failures.worked();
    } catch (error) {
      this.#failures.failed(error, this.signal.aborted);
      throw error;
    }
  }
}
