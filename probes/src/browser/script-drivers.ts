/** The drivers of scripts: each serves one script, and one is started ahead while there is memory for it. */
import type { DriverProcess } from "./process/driver-process.ts";

/** The parts of the supply of drivers. */
export interface ScriptDriversParts {
  start: () => Promise<DriverProcess>;
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

  /** Returns a driver for one script: the one started ahead if it still lives, else a new one. The caller kills it. */
  async acquire(): Promise<DriverProcess> {
    const ahead = await this.#ahead?.catch(() => undefined);
    this.#ahead = undefined;
    return ahead && !ahead.hasEnded ? ahead : this.#parts.start();
  }

  /** Starts the driver of the next script, unless one is there or memory is needed elsewhere. */
  startAhead(): void {
    if (this.#isClosed || this.#ahead || !this.#parts.mayStartAhead()) return;
    const ahead = this.#parts.start();
    this.#ahead = ahead;
    ahead.catch((error: Error) => this.#parts.warn(`no browser could be started ahead: ${error.message}`));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ahead = await this.#ahead?.catch(() => undefined);
    await ahead?.kill();
  }
}
