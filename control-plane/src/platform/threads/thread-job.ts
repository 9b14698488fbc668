/**
 * Definitions of jobs whose cost a team decides, such as compiling its templates. Jobs run in worker threads (see
 * thread-pool.ts), so that none of them blocks the event loop. The module that needs a job defines its name and limit;
 * `app/job-thread.ts` joins each definition with the code that does the work in the thread.
 */
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

/** Message from a thread: one `ready` after the start, then one answer to each job. */
export type JobAnswer =
  | { kind: "ready" }
  | { kind: "done"; output: unknown }
  | { kind: "overrun" }
  | { kind: "failed"; message: string };

const script = new Script("work()");

/** Says that work exceeded its time limit and was ended. */
export class WorkCutOff extends Error {}

/**
 * Runs synchronous work that may never end, such as a search by a team's pattern. V8 ends it after `limitMs`.
 * @throws WorkCutOff when the limit was exceeded, or the work's own error
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  try {
    return script.runInNewContext({ work }, { timeout: limitMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      throw new WorkCutOff(`took longer than ${limitMs} ms`, { cause: error });
    throw error;
  }
}
