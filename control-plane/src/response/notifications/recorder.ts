/**
 * Records attempts in groups: what ended while one transaction was under way goes into the next one. So a storm takes one
 * connection and few commits, and no attempt waits for another's record before the next one is made.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { type FinishedAttempt, type RecordedAttempt, recordAttempts } from "./store.ts";

const GROUP_MAX = 200;
const TRIES = 5;
const RETRY_MS = 500;

export interface RecorderOptions {
  knex: Knex;
  /** This process. */
  owner: string;
  /** Told, in the transaction that records them, of those that were delivered for the first time. */
  onFirstSuccess: (trx: Knex, finished: readonly FinishedAttempt[]) => Promise<void>;
}

interface Waiting {
  finished: FinishedAttempt;
  resolve: (recorded: RecordedAttempt) => void;
  reject: (error: unknown) => void;
}

export class AttemptRecorder {
  readonly #options: RecorderOptions;
  #waiting: Waiting[] = [];
  #flushing = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Resolves once it is committed. Rejects when the database could not be had: then the attempt's lease ends by itself. */
  record(finished: FinishedAttempt): Promise<RecordedAttempt> {
    const recorded = new Promise<RecordedAttempt>((resolve, reject) => {
      this.#waiting.push({ finished, resolve, reject });
    });
    if (!this.#flushing) void this.#flush();
    return recorded;
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, GROUP_MAX);
      await this.#write(group).catch(async (error) => {
        // One that can't be stored must not take the others with it.
        if (isDatabaseUnavailable(error) || group.length === 1) for (const { reject } of group) reject(error);
        else for (const one of group) await this.#write([one]).catch(one.reject);
      });
    }
    this.#flushing = false;
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
