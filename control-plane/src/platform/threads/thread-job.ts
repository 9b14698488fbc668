/**
 * Definitions of jobs whose cost a team decides, such as compiling its templates. Jobs run in worker threads (see
 * thread-pool.ts), so that none of them blocks the event loop. The module that needs a job defines its name and limit;
 * `app/job-thread.ts` joins each definition with the code that does the work in the thread.
 */
import { readFileSync } from "node:fs";
import { Script } from "node:vm";

/** A kind of job. Input and output are copied between threads, so they consist of plain values. */
export interface ThreadJob<Input, Output> {
  readonly name: string;
  /** Longest time that one job may take once it runs, ms. */
  readonly limitMs: number;
  /** Carries the types of input and output for the compiler. Absent at run time. */
  readonly types?: { input: Input; output: Output };
}

/** Returns the definition of a kind of job. */
export function defineThreadJob<Input, Output>(name: string, limitMs: number): ThreadJob<Input, Output> {
  return { name, limitMs };
}

/**
 * The code that does a kind of job in the thread. When it throws, the error's message is passed to the caller of the
 * job.
 */
export interface ThreadWork<Input, Output> {
  job: ThreadJob<Input, Output>;
  work(input: Input): Output;
}

/** Message to a thread. */
export interface JobRequest {
  name: string;
  input: unknown;
}

/** Message from a thread: one `ready` after the start, then one answer to each job; before it one `repeated` when the job was begun once more. */
export type JobAnswer =
  | { kind: "ready" }
  | { kind: "repeated" }
  | { kind: "done"; output: unknown }
  | { kind: "overrun" }
  | { kind: "failed"; message: string };

const script = new Script("work()");

/** Says that work exceeded its time limit and was ended. */
export class WorkCutOff extends Error {}

/**
 * Longest that work's limit is in fact, as a multiple of the limit: work that got little of the processor is begun once
 * more, with the rest of this.
 */
export const THREAD_LIMIT_STRETCH = 4;
/** Share of a limit that a thread must have waited for the processor for its work to be begun once more. */
const WAITED_SHARE_MIN = 0.3;

/**
 * Runs synchronous work that may never end, such as a search by a team's pattern. V8 ends it after `limitMs`. Where the
 * thread then had to wait for the processor for a good part of that time, the work is begun once more and may take
 * longer: so it has no effects but its result.
 * @param options.waitMs returns how long this thread has waited for the processor so far, ms
 * @param options.onRepeat called before the work is begun once more
 * @throws WorkCutOff when the limit was exceeded, or the work's own error
 */
export function withinTime<T>(
  limitMs: number,
  work: () => T,
  { waitMs = processorWaitMs, onRepeat }: { waitMs?: () => number; onRepeat?: () => void } = {},
): T {
  const waitedBeforeMs = waitMs();
  try {
    return runFor(limitMs, work);
  } catch (error) {
    const waitedMs = waitMs() - waitedBeforeMs;
    if (!(error instanceof WorkCutOff) || waitedMs < limitMs * WAITED_SHARE_MIN) throw error;
    onRepeat?.();
    return runFor(limitMs * (THREAD_LIMIT_STRETCH - 1), work);
  }
}

function runFor<T>(limitMs: number, work: () => T): T {
  try {
    return script.runInNewContext({ work }, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new WorkCutOff(`took longer than ${limitMs} ms`, { cause: error });
    throw error;
  }
}

/**
 * Returns how long this thread has been ready to run and did not get the processor, ms since its start. 0 where the
 * system does not tell; the field is the second one of proc_pid_schedstat(5), ns.
 */
function processorWaitMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}
