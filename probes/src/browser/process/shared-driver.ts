/**
 * The warm driver that runs in url mode share. It is started when first needed, and replaced when it broke, would not clean up
 * after a run, or has done so many runs that what Chromium keeps of each adds up; one that is replaced ends with its last run.
 */
import type { DriverProcess } from "./driver-process.ts";

/** What is used of a driver here. */
type Driver = Pick<DriverProcess, "ended" | "hasEnded" | "kill">;

/** What is looked at of a run: no report, and the driver did not come to its end; unclean, and something of it is left. */
interface EndedRun {
  report: { isClean: boolean } | undefined;
}

/**
 * Chromium keeps about 0.1 MiB of every run (measured over 250), so memory stays within a tenth of a fresh browser's; a start costs
 * as much as one or two runs.
 */
const RUNS_MAX = 100;

interface Seat<D> {
  driver: D;
  freeSlots: number[];
  runs: number;
  isRetired: boolean;
}

export interface SharedDriverParts<D> {
  /** Runs at a time. */
  slots: number;
  start: () => Promise<D>;
  warn: (message: string) => void;
}

export class SharedDriver<D extends Driver> {
  readonly #parts: SharedDriverParts<D>;
  readonly #seats = new Set<Seat<D>>();
  #current: Promise<Seat<D>> | undefined;
  #waiting: (() => void)[] = [];

  constructor(parts: SharedDriverParts<D>) {
    this.#parts = parts;
  }

  /**
   * Runs something in a slot of the driver.
   * @returns what it came to, or undefined when no slot became free in time   @throws when no browser can be started
   */
  async use<Run extends EndedRun>(
    waitMsMax: number,
    work: (driver: D, slot: number) => Promise<Run>,
  ): Promise<Run | undefined> {
    const taken = await this.#takeSlot(performance.now() + waitMsMax);
    if (!taken) return undefined;
    const { seat, slot } = taken;
    seat.runs++;
    try {
      const run = await work(seat.driver, slot);
      const isSound = run.report?.isClean === true;
      if (!isSound || seat.runs >= RUNS_MAX) this.#retire(seat);
      // A run that would not end must not go on beside others.
      if (!isSound && run.report === undefined) await seat.driver.kill();
      return run;
    } finally {
      seat.freeSlots.push(slot);
      if (seat.isRetired && seat.freeSlots.length === this.#parts.slots) await this.#end(seat);
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }

  async close(): Promise<void> {
    await this.#current?.catch(() => undefined);
    this.#current = undefined;
    await Promise.all([...this.#seats].map((seat) => this.#end(seat)));
  }

  async #takeSlot(untilMs: number): Promise<{ seat: Seat<D>; slot: number } | undefined> {
    for (;;) {
      this.#current ??= this.#start();
      const current = this.#current;
      const seat = await current;
      const slot = seat.isRetired || seat.driver.hasEnded ? undefined : seat.freeSlots.pop();
      if (slot !== undefined) return { seat, slot };
      if (seat.isRetired || seat.driver.hasEnded) {
        if (this.#current === current) this.#current = undefined;
        continue;
      }
      if (!(await this.#slotFreed(untilMs))) return undefined;
    }
  }

  async #start(): Promise<Seat<D>> {
    try {
      const driver = await this.#parts.start();
      const freeSlots = Array.from({ length: this.#parts.slots }, (_, slot) => slot);
      const seat: Seat<D> = { driver, freeSlots, runs: 0, isRetired: false };
      this.#seats.add(seat);
      void driver.ended.then(({ cause, message }) => {
        this.#seats.delete(seat);
        this.#retire(seat);
        if (cause !== "killed") this.#parts.warn(`the browser broke down and is replaced: ${message}`);
      });
      return seat;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  #retire(seat: Seat<D>): void {
    seat.isRetired = true;
    void this.#current?.then(
      (current) => {
        if (current === seat) this.#current = undefined;
      },
      () => {},
    );
  }

  async #end(seat: Seat<D>): Promise<void> {
    this.#seats.delete(seat);
    await seat.driver.kill();
  }

  #slotFreed(untilMs: number): Promise<boolean> {
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
        Math.max(0, untilMs - performance.now()),
      );
      this.#waiting.push(wake);
    });
  }
}
