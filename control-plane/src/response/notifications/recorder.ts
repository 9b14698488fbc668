/**
 * Records attempts in groups: those that ended while one transaction was under way go into the next one. So a storm
 * takes one connection and few commits, and the next attempt never waits for a record.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { type FinishedAttempt, type RecordedAttempt, recordAttempts } from "./delivery-store.ts";

/** Most attempts of one transaction. */
const GROUP_MAX = 200;
/** Number of times that a group is written while the database is unavailable. */
const TRIES = 5;
const RETRY_MS = 500;

/** The database, the recording process, and the callback for first deliveries. */
export interface RecorderOptions {
  knex: Knex;
  /** Id of this process. */
  owner: string;
  /** Called in the recording transaction with the attempts that delivered a notification for the first time. */
  onFirstSuccess: (trx: Knex, finished: readonly FinishedAttempt[]) => Promise<void>;
}

/** An attempt that waits to be recorded. */
interface Waiting {
  finished: FinishedAttempt;
  resolve: (recorded: RecordedAttempt) => void;
  reject: (error: unknown) => void;
}

/** Records the ends of delivery attempts in the database. */
export class AttemptRecorder {
  readonly #options: RecorderOptions;
  #waiting: Waiting[] = [];
  #isFlushing = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * Records an attempt; resolves at the commit.
   * @throws the database's error; then the notification's lease ends by itself
   */
  record(finished: FinishedAttempt): Promise<RecordedAttempt> {
    const recorded = new Promise<RecordedAttempt>((resolve, reject) => {
      this.#waiting.push({ finished, resolve, reject });
    });
    if (!this.#isFlushing) void this.#flush();
    return recorded;
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      await this.#write(group).catch(async (error) => {
        // An attempt that can't be stored must not take the others with it.
        if (isDatabaseUnavailable(error) || group.length === 1) for (const { reject } of group) reject(error);
        else for (const one of group) await this.#write([one]).catch(one.reject);
      });
    }
    this.#isFlushing = false;
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        const recorded = await this.#commit(group.map(({ finished }) => finished));
        for (const [i, { resolve }] of group.entries()) resolve(recorded[i] as RecordedAttempt);
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tried === TRIES) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  #commit(finished: readonly FinishedAttempt[]): Promise<RecordedAttempt[]> {
    const { knex, owner, onFirstSuccess } = this.#options;
    return knex.transaction(async (trx) => {
      const recorded = await recordAttempts(trx, owner, finished);
      const first = finished.filter((_, i) => recorded[i]?.isFirstSuccess);
      if (first.length > 0) await onFirstSuccess(trx, first);
      return recorded;
    });
  }
}
