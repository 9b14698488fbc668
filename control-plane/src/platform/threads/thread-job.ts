/**
 * Jobs whose cost a team chooses. They run in worker threads (see thread-pool.ts), so that none of them holds the event loop.
 * The part that wants a job done defines it; `app/job-thread.ts` joins each definition with the code that does it.
 */
import { Script } from "node:vm";

/** A kind of job. Input and output are copied between threads, so they consist of plain values. */
export interface ThreadJob<Input, Output> {
  readonly name: string;
  /** Longest time that one job may take once it runs, ms. */
  readonly limitMs: number;
  /** Only the type: no job has these at run time. */
  readonly types?: { input: Input; output: Output };
}

/** Returns the definition of a kind of job. */
export function defineThreadJob<Input, Output>(name: string, limitMs: number): ThreadJob<Input, Output> {
  return { name, limitMs };
}

/** The work of a kind of job, as its thread does it. An error's message reaches whoever wanted the job done. */
export interface ThreadWork<Input, Output> {
  job: ThreadJob<Input, Output>;
  work(input: Input): Output;
}

/** Message to a thread. */
export interface JobRequest {
  name: string;
  input: unknown;
}

/** Message from a thread: `ready` once and first, then one answer to each job. */
export type JobAnswer =
  | { kind: "ready" }
  | { kind: "done"; output: unknown }
  | { kind: "overrun" }
  | { kind: "failed"; message: string };

const script = new Script("work()");

/** The work took longer than it may and was cut off. */
export class WorkCutOff extends Error {}

/**
 * Runs work that may never end: V8 cuts it off.
 * @throws WorkCutOff when the time was up, or the work's own error
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
