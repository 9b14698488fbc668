/**
 * Shares lookups among owners. Each lookup occupies one of few threads for as long as name servers take, and none can
 * be ended: names on a name server that never answers could take all threads. So there is a limit of lookups under way,
 * and where there are several owners each may have at most half of those that the others leave free, and so never the
 * last one.
 */
import type { Resolve } from "./system-resolver.ts";

/** Share of the free lookups that one of several owners may have. */
const SHARE = 1 / 2;
/** Share of all lookups that an owner alone may have. The rest awaits the next owner. */
const SHARE_ALONE = 3 / 4;
/** An owner that looked nothing up for this long no longer counts as one of several. */
const OWNER_LIFE_MS = 60_000;

/** Most lookups of an owner that wait, and how long they do: longer than runs have for their first answer. */
const WAITING_MAX = 1_000;
const WAIT_LIMIT_MS = 30_000;

/** The lookups that are shared, their limit and the clock. */
export interface LookupSharesOptions {
  resolve: Resolve;
  /** Most lookups under way. Leave some of the process's threads for files and compression. */
  concurrentMax: number;
  /** A monotonic clock, ms. */
  nowMs: () => number;
}

interface WaitingLookup {
  sinceMs: number;
  begin: () => void;
  giveUp: (error: Error) => void;
}

/** Names whose lookups they are, such as a team. */
type OwnerName = number | string;

interface Owner {
  running: number;
  waiting: WaitingLookup[];
  lastUsedMs: number;
}

/** Divides the lookups of a process among owners, such as teams. Safe to use by any number of owners at once. */
export class LookupShares {
  readonly #options: LookupSharesOptions;
  /** In the order of their turns. */
  readonly #owners = new Map<OwnerName, Owner>();
  #running = 0;

  constructor(options: LookupSharesOptions) {
    this.#options = options;
  }

  /**
   * Returns a resolver whose lookups are those of an owner. Lookups beyond its share wait for their turn; those that
   * wait too long, or behind too many, fail with EAI_AGAIN.
   */
  resolverOf(name: OwnerName): Resolve {
    return async (hostname) => {
      const owner = this.#ownerOf(name);
      await this.#enter(owner);
      try {
        return await this.#options.resolve(hostname);
      } finally {
        this.#leave(owner);
      }
    };
  }

  #ownerOf(name: OwnerName): Owner {
    const nowMs = this.#options.nowMs();
    let owner = this.#owners.get(name);
    if (owner === undefined) {
      this.#forgetIdle(nowMs);
      owner = { running: 0, waiting: [], lastUsedMs: nowMs };
      this.#owners.set(name, owner);
    }
    owner.lastUsedMs = nowMs;
    return owner;
  }

  #forgetIdle(nowMs: number): void {
    for (const [name, { running, waiting, lastUsedMs }] of this.#owners)
      if (running === 0 && waiting.length === 0 && nowMs - lastUsedMs > OWNER_LIFE_MS)
        this.#owners.delete(name);
  }

  async #enter(owner: Owner): Promise<void> {
    if (owner.waiting.length === 0 && this.#mayRun(owner)) this.#begin(owner);
    else if (owner.waiting.length >= WAITING_MAX) throw heldUp();
    else
      await new Promise<void>((begin, giveUp) =>
        owner.waiting.push({ sinceMs: this.#options.nowMs(), begin, giveUp }),
      );
  }

  #begin(owner: Owner): void {
    owner.running++;
    this.#running++;
  }

  #leave(owner: Owner): void {
    owner.running--;
    this.#running--;
    const oldestMs = this.#options.nowMs() - WAIT_LIMIT_MS;
    for (const [name, next] of this.#owners) {
      while ((next.waiting[0]?.sinceMs ?? oldestMs) < oldestMs) next.waiting.shift()?.giveUp(heldUp());
      if (next.waiting.length === 0 || !this.#mayRun(next)) continue;
      this.#begin(next);
      next.waiting.shift()?.begin();
      // Its next turn comes after everybody else's.
      this.#owners.delete(name);
      this.#owners.set(name, next);
      return;
    }
  }

  #mayRun({ running }: Owner): boolean {
    const { concurrentMax } = this.#options;
    if (this.#running >= concurrentMax) return false;
    const share = this.#owners.size === 1 ? SHARE_ALONE : SHARE;
    return running < (concurrentMax - (this.#running - running)) * share;
  }
}

function heldUp(): Error {
  return Object.assign(new Error("too many lookups of the same owner are under way"), { code: "EAI_AGAIN" });
}
