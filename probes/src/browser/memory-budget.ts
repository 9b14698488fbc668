/**
 * Admits browser runs by memory: a run begins once the most that it may need is free. Runs are admitted in the order of
 * asking.
 */

/** No memory becomes free in time. */
export class MemoryUnavailable extends Error {}

interface Waiting {
  bytes: number;
  admit: () => void;
}

/** The memory that all browser runs of the process share. */
export class MemoryBudget {
  readonly #bytesMax: number;
  #reserved = 0;
  #queue: Waiting[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Number of runs that wait for memory. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * Takes memory, waiting for it if need be.
   * @returns a function that releases the memory; further calls of it do nothing
   * @throws MemoryUnavailable when it takes longer than `waitMsMax`, or could never be admitted
   */
  async reserve(bytes: number, waitMsMax: number): Promise<() => void> {
    if (bytes > this.#bytesMax)
      throw new MemoryUnavailable(
        `a run needs ${bytes} bytes of memory, and browser runs may have ${this.#bytesMax}`,
      );
    if (this.#queue.length > 0 || this.#reserved + bytes > this.#bytesMax) await this.#wait(bytes, waitMsMax);
    else this.#reserved += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#reserved -= bytes;
      this.#admit();
    };
  }

  #wait(bytes: number, waitMsMax: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue = this.#queue.filter((other) => other !== waiting);
        reject(new MemoryUnavailable("no memory for another browser run became free in time"));
        this.#admit();
      }, waitMsMax);
      const waiting: Waiting = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#queue.push(waiting);
    });
  }

  #admit(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (this.#reserved + next.bytes > this.#bytesMax) return;
      this.#queue.shift();
      this.#reserved += next.bytes;
      next.admit();
    }
  }
}
