/**
 * Keeps one warm driver, whose lanes the runs in url mode share. The driver starts when first needed. It is replaced
 * when it broke, when it did not clean up after a run, or after so many runs that the memory that Chromium keeps of
 * each adds up. A replaced driver ends with its last run.
 */
import { startedWithin } from "../start-deadline.ts";
import type { DriverProcess } from "./driver-process.ts";

/** The part of a driver that is used here. */
type Driver = Pick<DriverProcess, "ended" | "hasEnded" | "kill">;

/**
 * The end of a run, which decides whether the driver is used further. Without a report the driver did not finish the
 * run; with `isClean` false something of the run is left in the browser.
 */
interface EndedRun {
  report: { isClean: boolean } | undefined;
}

/**
 * Chromium keeps about 0.1 MiB of every run (measured over 250), so with this limit its memory stays within a tenth of
 * a fresh browser's. A start costs as much as one or two runs.
 */
const RUNS_MAX = 100;

/** A driver in use, with the lanes in which nothing runs. */
interface DriverInUse<D> {
  driver: D;
  freeLanes: number[];
  runs: number;
  isRetired: boolean;
}

/** The parts of a shared driver. */
export interface SharedDriverParts<D> {
  /** Number of runs that may go on at a time. */
  lanes: number;
  start: () => Promise<D>;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
  warn: (message: string) => void;
}

/** Lends the lanes of a warm driver to runs, and replaces the driver when that is due. At most one lane per run. */
export class SharedDriver<D extends Driver> {
  readonly #parts: SharedDriverParts<D>;
  readonly #inUse = new Set<DriverInUse<D>>();
  #current: Promise<DriverInUse<D>> | undefined;
  #waiting: (() => void)[] = [];

  constructor(parts: SharedDriverParts<D>) {
    this.#parts = parts;
  }

  /**
   * Does work in a lane of the driver.
   * @returns what the work returns, or undefined when no lane became free in time
   * @throws NotStartedInTime when the browser itself is not ready in time; Error when none can be started
   */
  async use<Run extends EndedRun>(
    waitMsMax: number,
    work: (driver: D, lane: number) => Promise<Run>,
  ): Promise<Run | undefined> {
    const acquired = await this.#acquireLane(this.#parts.monotonicMs() + waitMsMax);
    if (!acquired) return undefined;
    const { used, lane } = acquired;
    used.runs++;
    try {
      const run = await work(used.driver, lane);
      const isSound = run.report?.isClean === true;
      if (!isSound || used.runs >= RUNS_MAX) this.#retire(used);
      // A run that would not end must not go on beside others.
      if (!isSound && run.report === undefined) await used.driver.kill();
      return run;
    } finally {
      used.freeLanes.push(lane);
      if (used.isRetired && used.freeLanes.length === this.#parts.lanes) await this.#end(used);
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  async close(): Promise<void> {
    await this.#current?.catch(() => undefined);
    this.#current = undefined;
    await Promise.all([...this.#inUse].map((used) => this.#end(used)));
  }

  async #acquireLane(untilMs: number): Promise<{ used: DriverInUse<D>; lane: number } | undefined> {
    for (;;) {
      this.#current ??= this.#start();
      const current = this.#current;
      const used = await startedWithin(current, Math.max(0, untilMs - this.#parts.monotonicMs()));
      const lane = used.isRetired || used.driver.hasEnded ? undefined : used.freeLanes.pop();
      if (lane !== undefined) return { used, lane };
      if (used.isRetired || used.driver.hasEnded) {
        if (this.#current === current) this.#current = undefined;
        continue;
      }
      if (!(await this.#laneFreed(untilMs))) return undefined;
    }
  }

  async #start(): Promise<DriverInUse<D>> {
    try {
      const driver = await this.#parts.start();
      const freeLanes = Array.from({ length: this.#parts.lanes }, (_, lane) => lane);
      const used: DriverInUse<D> = { driver, freeLanes, runs: 0, isRetired: false };
      this.#inUse.add(used);
      void driver.ended.then(({ cause, message }) => {
        this.#inUse.delete(used);
        this.#retire(used);
        if (cause !== "killed") this.#parts.warn(`the browser broke down and is replaced: ${message}`);
      });
      return used;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  #retire(used: DriverInUse<D>): void {
    used.isRetired = true;
    void this.#current?.then(
      (current) => {
        if (current === used) this.#current = undefined;
      },
      () => {},
    );
  }

  async #end(used: DriverInUse<D>): Promise<void> {
    this.#inUse.delete(used);
    await used.driver.kill();
  }

  /** Resolves to true once a lane became free, to false when the time is up first. */
  #laneFreed(untilMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(
        () => {
          this.#waiting = this.#waiting.filter((other) => other !== wake);
          resolve(false);
        },
        Math.max(0, untilMs - this.#parts.monotonicMs()),
      );
      this.#waiting.push(wake);
    });
  }
}
