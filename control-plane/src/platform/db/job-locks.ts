/**
 * Advisory locks of a process's background jobs. One connection outside the pool holds all of them: if each job held
 * one of the pool's connections while its work waited for another one, the jobs could exhaust a small pool and wait for
 * one another.
 */
import type { Knex } from "knex";
import type pg from "pg";

/** A dead connection that says nothing is given up after this. */
const QUERY_TIMEOUT_MS = 10_000;

/** Holds the advisory locks of the jobs that run on one pool. */
export class JobLocks {
  static readonly #ofPool = new WeakMap<Knex, JobLocks>();

  readonly #knex: Knex;
  #client: Promise<pg.Client> | undefined;
  /** Keys that a job of this process holds: PostgreSQL would give a lock to its connection twice. */
  readonly #held = new Set<number>();
  /** Keys that this process attends by, and the connection that holds the shared lock of each. */
  readonly #attended = new Map<number, Promise<pg.Client>>();
  #users = 0;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(knex: Knex) {
    this.#knex = knex;
  }

  /** Returns the locks of this pool's process. Each caller releases them once. */
  static of(knex: Knex): JobLocks {
    const locks = JobLocks.#ofPool.get(knex) ?? new JobLocks(knex);
    JobLocks.#ofPool.set(knex, locks);
    locks.#users++;
    return locks;
  }

  /**
   * Does the work, or nothing when another job or replica has the lock. A connection that is cut meanwhile frees the
   * lock.
   * @param whenKnown is called once it is known whether the lock is free
   */
  async whileHolding(key: number, work: () => Promise<void>, whenKnown?: () => void): Promise<void> {
    if (this.#held.has(key)) return;
    this.#held.add(key);
    try {
      const isFree = await this.#ask("SELECT pg_try_advisory_lock($1) AS yes", key);
      whenKnown?.();
      if (!isFree) return;
      try {
        await work();
      } finally {
        await this.#ask("SELECT pg_advisory_unlock($1) AS yes", key).catch(() => undefined);
      }
    } finally {
      this.#held.delete(key);
    }
  }

  /**
   * Makes this process one of those that attend by a key, until {@link leave} or until its connection is cut; then the next call
   * does so again. Call it in turn, never twice at once.
   * @param whenAlone is awaited when no other process attended; another one that enters meanwhile gets false
   * @returns true when this process attends; false while another one is entering, so that it is to be tried again
   */
  async attend(key: number, whenAlone: () => Promise<void>): Promise<boolean> {
    if (this.#client && this.#attended.get(key) === this.#client) return true;
    const isAlone = await this.#ask("SELECT pg_try_advisory_lock($1) AS yes", key);
    try {
      if (!(await this.#ask("SELECT pg_try_advisory_lock_shared($1) AS yes", key))) return false;
      const holding = this.#client;
      if (isAlone)
        await whenAlone().catch(async (error: unknown) => {
          await this.leave(key);
          throw error;
        });
      if (holding) this.#attended.set(key, holding);
      return true;
    } finally {
      if (isAlone) await this.#ask("SELECT pg_advisory_unlock($1) AS yes", key).catch(() => undefined);
    }
  }

  /** Ends what {@link attend} began. A connection that is cut has ended it already. */
  async leave(key: number): Promise<void> {
    this.#attended.delete(key);
    if (!this.#client) return;
    await this.#ask("SELECT pg_advisory_unlock_shared($1) AS yes", key).catch(() => undefined);
  }

  /** Gives the locks up; the last user's release ends the connection. */
  async release(): Promise<void> {
    if (--this.#users > 0) return;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Runs one query after the other, since the connection is shared. */
  #ask(text: string, key: number): Promise<boolean> {
    const answer = this.#turn.then(() => this.#query(text, key));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async #query(text: string, key: number): Promise<boolean> {
    const opening = this.#client ?? this.#open();
    try {
      const query = { text, values: [key], query_timeout: QUERY_TIMEOUT_MS };
      const { rows } = await (await opening).query(query);
      return rows[0]?.yes === true;
    } catch (error) {
      this.#drop(opening);
      throw error;
    }
  }

  #open(): Promise<pg.Client> {
    const opening: Promise<pg.Client> = this.#knex.client.acquireRawConnection().then((client: pg.Client) => {
      client.on("error", () => this.#drop(opening));
      return client;
    });
    this.#client = opening;
    return opening;
  }

  /** Forgets a connection that can't be used; the next one to ask opens another. */
  #drop(opening: Promise<pg.Client>): void {
    if (this.#client === opening) this.#client = undefined;
    opening.then((client) => client.end()).catch(() => undefined);
  }
}
