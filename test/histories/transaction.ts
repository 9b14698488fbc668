/**
 * A transaction of the model database that consists of several statements of its process. Each statement sees what is committed
 * by then; what it writes is there for others at the commit, and never when process or server die before.
 */
import type { Locks } from "./locks.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The database's side of a transaction. */
export interface TransactionParts {
  xid: number;
  process: SimulatedProcess;
  locks: Locks;
  /** Returns the time that a message between process and server takes, ms. */
  travelMs(): number;
  /** Throws when the server has lost the transaction. */
  assertAlive(): void;
}

/** One transaction under way. */
export class ModelTransaction {
  readonly xid: number;
  /** True once it was committed or is gone. */
  isOver = false;
  readonly #parts: TransactionParts;
  #effects: (() => void)[] = [];

  constructor(parts: TransactionParts) {
    this.xid = parts.xid;
    this.#parts = parts;
  }

  /** Runs a statement that reads what is committed. */
  async read<T>(query: () => T): Promise<T> {
    await this.#travel();
    const answer = query();
    await this.#travel();
    return answer;
  }

  /** Runs a statement that writes. @param effect changes the tables; called at the commit */
  async write(effect: () => void): Promise<void> {
    await this.read(() => this.#effects.push(effect));
  }

  /** Waits for these locks, in one order. They are held until the transaction ends. */
  async lock(names: Iterable<string>): Promise<void> {
    await this.#travel();
    for (const name of [...new Set(names)].sort()) await this.#parts.locks.acquire(name, this);
    await this.#travel();
  }

  /** Runs the work; when it rejects, nothing is left of what it wrote. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = [...this.#effects];
    try {
      return await work();
    } catch (error) {
      this.#effects = before;
      throw error;
    }
  }

  /** Writes everything. Called by the server at the commit. */
  apply(): void {
    for (const effect of this.#effects) effect();
  }

  async #travel(): Promise<void> {
    const { process, travelMs, assertAlive } = this.#parts;
    await process.sleep(travelMs());
    assertAlive();
  }
}
