/**
 * The model of the database server: transactions that become visible as a whole at their commit, in an order that need not be
 * that of their ids; the snapshot horizon; servers that are slow, away or killed at any step. Most transactions (`write`) do all
 * their work at the instant of their commit, so that any two are as if one came after the other; those of ingest and alerts
 * (`transaction`) consist of statements between which others commit, and wait for locks.
 */
import { Locks } from "./locks.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { ModelTransaction } from "./transaction.ts";

/** Error of a database that can't be reached, as the driver has it. */
function connectionError(message: string): Error {
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}

/** Wake-ups of the fleet. */
export const FLEET_WAKE_UPS = "fleet";
/** Delay of wake-ups after a commit, ms. */
const WAKE_UP_MS = 2;
/** Part of the wake-ups that get lost. */
const LOST_WAKE_UPS = 0.1;

/** How a transaction goes. */
interface WriteOptions<T> {
  /** True when the commit wakes the fleet. */
  isWaking?: (answer: T) => boolean;
  /** Time from its first write to its commit; default: drawn. */
  durationMs?: number;
}

/** The database server. All of its data lives in the tables that its transactions change. */
export class Database {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  #nextXid = 1_000;
  readonly #active = new Set<number>();
  readonly #locks = new Locks();
  readonly #jobLocks = new Map<string, SimulatedProcess>();
  #epoch = 0;
  #awayUntilMs = 0;
  /** Longest time that a transaction takes, ms. */
  slownessMs = 8;
  #newestCommit = 0;
  #lateCommits = 0;
  readonly #listeners = new Set<{ channel: string; wake: () => void }>();
  /** Times at which the server was away, Unix ms. */
  readonly outages: { fromMs: number; toMs: number }[] = [];
  /** True: the horizon is the newest id, although older transactions may still be open. A planted fault. */
  hasNoHorizon = false;

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** Transactions that committed after one with a later id. */
  get lateCommits(): number {
    return this.#lateCommits;
  }

  get nowMs(): number {
    return Math.floor(this.#scheduler.nowMs);
  }

  get isAway(): boolean {
    return this.#awayUntilMs > this.#scheduler.nowMs;
  }

  /** Id below which all transactions have ended. */
  get horizon(): number {
    return this.hasNoHorizon ? this.#nextXid : Math.min(this.#nextXid, ...this.#active);
  }

  /** Id of the next transaction. */
  get nextXid(): number {
    return this.#nextXid;
  }

  /** True when the process now has the lock of a job: nobody else that lives has it. It is kept until process or server die. */
  holdsJobLock(name: string, process: SimulatedProcess): boolean {
    const holder = this.#jobLocks.get(name);
    if (holder?.isAlive && holder !== process) return false;
    this.#jobLocks.set(name, process);
    return true;
  }

  /** Kills the server: open transactions are gone, and it is away for a while. */
  crash(awayForMs: number): void {
    this.#epoch++;
    this.#active.clear();
    this.#jobLocks.clear();
    this.#locks.clear(connectionError("the server was killed"));
    const fromMs = this.#scheduler.nowMs;
    this.#awayUntilMs = Math.max(this.#awayUntilMs, fromMs + awayForMs);
    this.outages.push({ fromMs, toMs: fromMs + awayForMs });
  }

  /** Ends slowness and absence. */
  heal(): void {
    this.#awayUntilMs = 0;
    const { nowMs } = this.#scheduler;
    for (const outage of this.outages) outage.toMs = Math.min(outage.toMs, nowMs);
    this.slownessMs = 8;
  }

  /** Calls back at commits that wake the channel, until the process dies. */
  listen(process: SimulatedProcess, channel: string, onWakeUp: () => void): void {
    const wake = () => {
      if (!this.#random.chance(LOST_WAKE_UPS)) process.after(WAKE_UP_MS, onWakeUp);
    };
    const listener = { channel, wake };
    this.#listeners.add(listener);
    process.onDeath(() => this.#listeners.delete(listener));
  }

  /** Wakes whoever listens to the channel. Called by the work of a transaction, which is at its commit. */
  wake(channel: string): void {
    for (const listener of this.#listeners) if (listener.channel === channel) listener.wake();
  }

  /** Reads what is committed. */
  async read<T>(process: SimulatedProcess, query: () => T): Promise<T> {
    await this.#reach(process);
    const epoch = this.#epoch;
    const answer = query();
    await process.sleep(this.#travelMs());
    if (epoch !== this.#epoch && this.#random.chance(0.5)) throw connectionError("the connection was reset");
    return answer;
  }

  /**
   * Runs a transaction. It may be committed although the promise rejects, or the process dies.
   * @param work changes the tables; called at the commit
   */
  async write<T>(
    process: SimulatedProcess,
    work: (xid: number) => T,
    options: WriteOptions<T> = {},
  ): Promise<T> {
    await this.#reach(process);
    return this.#commit(process, { xid: this.#begin(), epoch: this.#epoch, work }, options);
  }

  /**
   * Runs a transaction of several statements, and commits it when the work resolves. It may be committed although the promise
   * rejects, or the process dies.
   */
  async transaction<T>(process: SimulatedProcess, work: (trx: ModelTransaction) => Promise<T>): Promise<T> {
    await this.#reach(process);
    const epoch = this.#epoch;
    const xid = this.#begin();
    const trx = new ModelTransaction({
      xid,
      process,
      locks: this.#locks,
      travelMs: () => this.#travelMs(),
      assertAlive: () => {
        if (epoch !== this.#epoch) throw connectionError("the server was killed");
      },
    });
    let isCommitting = false;
    const end = () => {
      trx.isOver = true;
      if (epoch === this.#epoch) this.#active.delete(xid);
      this.#locks.releaseAll(trx);
    };
    process.onDeath(() => {
      if (!isCommitting) end();
    });
    try {
      const answer = await work(trx);
      isCommitting = true;
      const apply = () => {
        trx.apply();
        return answer;
      };
      return await this.#commit(process, { xid, epoch, work: apply, onEnd: end });
    } catch (error) {
      if (!isCommitting) end();
      throw error;
    }
  }

  #begin(): number {
    const xid = this.#nextXid++;
    this.#active.add(xid);
    return xid;
  }

  async #commit<T>(
    process: SimulatedProcess,
    {
      xid,
      epoch,
      work,
      onEnd = () => {},
    }: { xid: number; epoch: number; work: (xid: number) => T; onEnd?: () => void },
    { isWaking = () => false, durationMs = this.#durationMs() }: WriteOptions<T> = {},
  ): Promise<T> {
    // The server goes on when the client dies; so its own scheduler runs this, not the process.
    const committed = new Promise<T>((resolve, reject) => {
      this.#scheduler.after(durationMs, () => {
        if (epoch !== this.#epoch) {
          onEnd();
          reject(connectionError("the server was killed before the commit"));
          return;
        }
        this.#active.delete(xid);
        // A client that dies may have sent its COMMIT before.
        if (!process.isAlive && this.#random.chance(0.5)) {
          onEnd();
          return;
        }
        const answer = work(xid);
        onEnd();
        if (xid < this.#newestCommit) this.#lateCommits++;
        this.#newestCommit = Math.max(this.#newestCommit, xid);
        if (isWaking(answer)) this.wake(FLEET_WAKE_UPS);
        resolve(answer);
      });
    });
    committed.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => process.after(this.#travelMs(), settle);
      committed.then(
        (value) =>
          answer(() =>
            epoch !== this.#epoch && this.#random.chance(0.5)
              ? reject(connectionError("the connection was reset"))
              : resolve(value),
          ),
        (error: unknown) => answer(() => reject(error)),
      );
    });
  }

  async #reach(process: SimulatedProcess): Promise<void> {
    await process.sleep(this.#travelMs());
    if (this.isAway) throw connectionError("the server is away");
  }

  #travelMs(): number {
    return this.#random.between(0.1, 1);
  }

  #durationMs(): number {
    // Most transactions are quick; now and then one takes long, so that ids and commits come in different orders.
    return this.#random.chance(0.1)
      ? this.#random.between(1, 40 * this.slownessMs)
      : this.#random.between(0.2, this.slownessMs);
  }
}
