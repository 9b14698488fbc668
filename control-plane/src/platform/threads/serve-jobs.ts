/** The side of the thread: takes jobs one after another and answers each. */
import type { MessagePort } from "node:worker_threads";
import {
  type JobAnswer,
  type JobRequest,
  type ThreadJob,
  type ThreadWork,
  WorkCutOff,
  withinTime,
} from "./thread-job.ts";

/** Joins a kind of job with the code that does it. */
export function threadWork<Input, Output>(
  job: ThreadJob<Input, Output>,
  work: (input: Input) => Output,
): ThreadWork<unknown, unknown> {
  return { job, work } as ThreadWork<unknown, unknown>;
}

/** Answers the jobs that come in at `port`. */
export function serveJobs(port: MessagePort, works: readonly ThreadWork<unknown, unknown>[]): void {
  const byName = new Map(works.map((work) => [work.job.name, work]));
  const onRepeat = () => port.postMessage({ kind: "repeated" } satisfies JobAnswer);
  port.on("message", ({ name, input }: JobRequest) =>
    port.postMessage(answerTo(byName.get(name), input, onRepeat)),
  );
  port.postMessage({ kind: "ready" } satisfies JobAnswer);
}

function answerTo(
  found: ThreadWork<unknown, unknown> | undefined,
  input: unknown,
  onRepeat: () => void,
): JobAnswer {
  try {
    if (!found) throw new Error("no such job");
    return { kind: "done", output: withinTime(found.job.limitMs, () => found.work(input), { onRepeat }) };
  } catch (error) {
    if (error instanceof WorkCutOff) return { kind: "overrun" };
    return { kind: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}
