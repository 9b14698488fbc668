/** The drivers of scripts: each serves one script, and one is started ahead while there is memory for it. */
import { monotonicMs } from "../base/machine-clocks.ts";
import type { DriverProcess } from "./process/driver-process.ts";
import { START_MS_MAX, startedWithin } from "./start-deadline.ts";

/** The parts of the supply of drivers. */
export interface ScriptDriversParts {
  /** Starts a driver that is ready within a time, ms. */
  start: (readyMsMax: number) => Promise<DriverProcess>;
  /** True when there is memory for a driver that nothing needs yet. */
  mayStartAhead: () => boolean;
  warn: (message: string) => void;
}

/**
 * Supplies scripts with drivers. Close it after the last one was acquired: the driver that was started ahead is
 * killed then.
 */
export class ScriptDrivers {
  readonly #parts: ScriptDriversParts;
  #ahead: Promise<DriverProcess> | undefined;
  #isClosed = false;

  constructor(parts: ScriptDriversParts) {
    this.#parts = parts;
  }

  /**
   * Returns a driver for one script: the one started ahead if it still lives, else a new one. No other call gets it. The
   * caller kills it.
   * @throws NotStartedInTime when none is ready within the time
   */
  async acquire(withinMs: number): Promise<DriverProcess> {
    const untilMs = monotonicMs() + withinMs;
    const starting = this.#ahead;
    // At once, since the next call must not wait for the one that this call gets.
    this.#ahead = undefined;
    const ahead =
      starting &&
      (await startedWithin(
        starting.catch(() => undefined),
        withinMs,
        (late) => late?.kill(),
      ));
    return ahead && !ahead.hasEnded ? ahead : this.#parts.start(Math.max(0, untilMs - monotonicMs()));
  }

  /** Starts the driver of the next script, unless one is there or memory is needed elsewhere. */
  startAhead(): void {
    if (this.#isClosed || this.#ahead || !this.#parts.mayStartAhead()) return;
    const ahead = this.#parts.start(START_MS_MAX);
    this.#ahead = ahead;
    ahead.catch((error: Error) => this.#parts.warn(`no browser could be started ahead: ${error.message}`));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ahead = await this.#ahead?.catch(() => undefined);
    await ahead?.kill();
  }
}
