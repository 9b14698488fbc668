/**
 * Records attempts in groups: those that ended while one transaction was under way go into the next one. So a storm
 * takes one connection and few commits, and the next attempt never waits for a record.
 */
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import { sleepBy, type Timing } from "../../platform/timing.ts";
import type { FinishedAttempt, RecordedAttempt } from "./delivery-store.ts";
import type { NotificationQueue } from "./notification-queue.ts";

/** Most attempts of one transaction. */
const GROUP_MAX = 200;
/** Number of times that a group is written while the database is unavailable. */
const TRIES = 5;
const RETRY_MS = 500;

/** The outbox, the recording process, and its timers. */
interface RecorderOptions {
  queue: Pick<NotificationQueue, "record">;
  /** Id of this process. */
  owner: string;
  timing: Timing;
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
    const { queue, owner, timing } = this.#options;
    for (let tried = 1; ; tried++) {
      try {
        const recorded = await queue.record(
          owner,
          group.map(({ finished }) => finished),
        );
        for (const [i, { resolve }] of group.entries()) resolve(recorded[i] as RecordedAttempt);
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error) || tried === TRIES) throw error;
        await sleepBy(timing, RETRY_MS);
      }
    }
  }
}
