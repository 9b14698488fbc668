/** The locks of the model database: each belongs to one transaction until that ends; others wait in line. */

/** A transaction, as the locks know it. */
type Owner = object;

interface Waiter {
  owner: Owner;
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Who holds and who waits for which lock. */
export class Locks {
  readonly #held = new Map<string, { owner: Owner; waiters: Waiter[] }>();

  /** Resolves once the lock is the owner's. Never, when the owner releases all before. */
  acquire(name: string, owner: Owner): Promise<void> {
    const lock = this.#held.get(name);
    if (lock === undefined) {
      this.#held.set(name, { owner, waiters: [] });
      return Promise.resolve();
    }
    if (lock.owner === owner) return Promise.resolve();
    return new Promise((resolve, reject) => lock.waiters.push({ owner, resolve, reject }));
  }

  /** Gives each lock of the owner to whoever waits longest for it, and ends the owner's waits. */
  releaseAll(owner: Owner): void {
    for (const [name, lock] of this.#held) {
      lock.waiters = lock.waiters.filter((waiter) => waiter.owner !== owner);
      if (lock.owner !== owner) continue;
      const next = lock.waiters.shift();
      if (next === undefined) this.#held.delete(name);
      else {
        lock.owner = next.owner;
        next.resolve();
      }
    }
  }

  /** Forgets all locks, as a server does that is killed. Waits end with the error. */
  clear(error: Error): void {
    const waiters = [...this.#held.values()].flatMap((lock) => lock.waiters);
    this.#held.clear();
    for (const { reject } of waiters) reject(error);
  }
}
