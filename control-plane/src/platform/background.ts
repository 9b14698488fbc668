/** Interval jobs: work that is repeated in the background, mostly on one replica at a time, until it is closed. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import { JobLocks } from "./db/job-locks.ts";
import { FailureLog } from "./failure-log.ts";
import { beganWork } from "./loop-watch.ts";
import { sleepBy, systemTiming, type Timing } from "./timing.ts";

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
  /** Default: the process's own. */
  timing?: Timing | undefined;
}

/** Starts a job; its first run begins at once. An error is logged as {@link FailureLog} says, and the work is repeated. */
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
  const { name, log, lockKey, intervalMs, timing = systemTiming } = options;
  const failures = new FailureLog({
    log,
    message: "background job failed; trying again",
    fields: { job: name },
    timing,
  });
  const lockFailures = new FailureLog({
    log,
    message: "background job can't ask for its lock; trying again",
    fields: { job: name },
    timing,
  });
  // While another replica holds the lock, this one learns nothing about the work, but that it can ask for locks.
  let isLockKnown = true;
  const knowLock = () => {
    isLockKnown = true;
    lockFailures.worked();
  };
  const work = async () => {
    beganWork(`job ${name}`);
    await options.work(signal);
    // Here, and not after the attempt: while another replica has the lock, nothing is done and nothing is known.
    failures.worked();
  };
  while (!signal.aborted) {
    try {
      isLockKnown = lockKey === undefined;
      await (lockKey === undefined ? work() : locks.whileHolding(lockKey, work, knowLock));
    } catch (error) {
      (isLockKnown ? failures : lockFailures).failed(error, signal.aborted);
    }
    await sleepBy(timing, intervalMs, signal).catch(() => undefined);
  }
}
