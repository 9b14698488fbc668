/** Interval jobs: work that is repeated in the background, mostly on one replica at a time, until it is closed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { JobLocks } from "./db/job-locks.ts";
import { beganWork } from "./loop-watch.ts";

/** A running interval job. */
export interface BackgroundJob {
  /** Resolves when the work under way has ended; `work` sees its signal aborted. */
  close(): Promise<void>;
}

/** The work, its interval in ms, and the lock that it is done under. */
export interface BackgroundJobOptions {
  name: string;
  intervalMs: number;
  /**
   * Advisory lock that keeps the work to one replica at a time. The work must bear an overlap, because a connection that is
   * cut frees the lock. Absent: every replica does the work.
   */
  lockKey?: number;
  knex: Knex;
  log: Logger;
  work: (signal: AbortSignal) => Promise<void>;
}

/**
 * Starts a job; its first run begins at once. An error is logged, the first of a series as a warning, and the work is
 * repeated.
 */
export function startBackgroundJob(options: BackgroundJobOptions): BackgroundJob {
  const abort = new AbortController();
  const locks = JobLocks.of(options.knex);
  const running = repeat(options, locks, abort.signal);
  return {
    close: async () => {
      abort.abort();
      await running;
      await locks.release();
    },
  };
}

async function repeat(options: BackgroundJobOptions, locks: JobLocks, signal: AbortSignal): Promise<void> {
  let hasFailed = false;
  while (!signal.aborted) {
    try {
      const work = () => {
        beganWork(`job ${options.name}`);
        return options.work(signal);
      };
      await (options.lockKey === undefined ? work() : locks.whileHolding(options.lockKey, work));
      hasFailed = false;
    } catch (error) {
      const level = hasFailed || signal.aborted ? "debug" : "warn";
      options.log[level]({ err: error, job: options.name }, "background job failed; trying again");
      hasFailed = true;
    }
    await sleep(options.intervalMs, undefined, { signal }).catch(() => undefined);
  }
}
