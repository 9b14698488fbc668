/**
 * Runs jobs whose cost a team chooses in a few worker threads, fairly by team: the teams take turns, and a team has one
 * job running at a time, so that one team's slow jobs leave a thread to the others. A job that overruns is cut off; a
 * thread that does not react, or runs out of memory, is ended and replaced. Threads start when they are first needed
 * and never keep the process alive.
 */
import { Worker } from "node:worker_threads";
import { MINUTE_MS, type TeamId } from "@svc/contract";
import { type JobAnswer, type JobRequest, THREAD_LIMIT_STRETCH, type ThreadJob } from "./thread-job.ts";

/** The job took longer than it may, or more memory than a thread has. */
export class JobOverrun extends Error {}
/** Too many jobs of the team wait already. */
export class TeamQueueFull extends Error {}

const THREADS_MAX = 2;
/** Most jobs of one team that wait. */
const TEAM_WAITING_MAX = 100;
/** Memory of a thread, MiB. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64 };
/** Time limit of a thread's start, which no job's time counts. */
const START_LIMIT_MS = MINUTE_MS;
/** Time after a job's limit within which its thread has to say so; else the thread is ended. */
const PATIENCE_MS = 500;

/** The thread's file: in a bundle it lies beside the file that this code was bundled into. */
const THREAD_URL = import.meta.url.endsWith(".ts")
  ? new URL("../../app/job-thread-from-source.mjs", import.meta.url)
  : new URL("./job-thread.js", import.meta.url);

interface QueuedJob {
  request: JobRequest;
  limitMs: number;
  transfer: ArrayBuffer[];
  resolve(output: unknown): void;
  reject(error: Error): void;
}

interface Thread {
  worker: Worker;
  isReady: boolean;
  teamId: TeamId | undefined;
  job: QueuedJob | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** A job's input, and whose job it is. */
export interface JobInput<Input> {
  teamId: TeamId;
  input: Input;
  /** Buffers that are moved to the thread instead of copied. */
  transfer?: ArrayBuffer[];
}

/** Runs each job in a worker thread and returns its result; throws `JobOverrun` for one that exceeds its time or memory. */
export class ThreadPool {
  readonly #threads = new Set<Thread>();
  /** Jobs that wait, by team. The team whose turn is next comes first. */
  readonly #waiting = new Map<TeamId, QueuedJob[]>();

  /**
   * Runs a job.
   * @throws JobOverrun, TeamQueueFull, or an Error with the message of the work's own error
   */
  run<Input, Output>(job: ThreadJob<Input, Output>, wanted: JobInput<Input>): Promise<Output> {
    const { teamId, input, transfer = [] } = wanted;
    const queue = this.#waiting.get(teamId) ?? [];
    if (queue.length >= TEAM_WAITING_MAX)
      return Promise.reject(new TeamQueueFull(`${queue.length} jobs of the team are waiting already`));
    return new Promise<Output>((resolve, reject) => {
      const request = { name: job.name, input };
      queue.push({
        request,
        limitMs: job.limitMs,
        transfer,
        resolve: resolve as QueuedJob["resolve"],
        reject,
      });
      this.#waiting.set(teamId, queue);
      this.#assign();
    });
  }

  /** Ends the threads and rejects all jobs; a later job starts new threads. */
  async close(): Promise<void> {
    const error = new Error("the thread pool was closed");
    for (const queue of this.#waiting.values()) for (const { reject } of queue) reject(error);
    this.#waiting.clear();
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, error)));
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.job) continue;
      const next = this.#removeNext();
      if (!next) return;
      this.#begin(thread, next.teamId, next.job);
    }
    const starting = [...this.#threads].filter(({ isReady }) => !isReady).length;
    if (this.#nextTeam() !== undefined && starting === 0 && this.#threads.size < THREADS_MAX) this.#start();
  }

  /** Returns the team whose turn is next: the first one with jobs of which none runs. */
  #nextTeam(): TeamId | undefined {
    const running = new Set([...this.#threads].map(({ teamId }) => teamId));
    for (const teamId of this.#waiting.keys()) if (!running.has(teamId)) return teamId;
    return undefined;
  }

  #removeNext(): { teamId: TeamId; job: QueuedJob } | undefined {
    const teamId = this.#nextTeam();
    if (teamId === undefined) return undefined;
    const queue = this.#waiting.get(teamId) ?? [];
    const job = queue.shift();
    // Behind the other teams.
    this.#waiting.delete(teamId);
    if (queue.length > 0) this.#waiting.set(teamId, queue);
    return job && { teamId, job };
  }

  #begin(thread: Thread, teamId: TeamId, job: QueuedJob): void {
    thread.teamId = teamId;
    thread.job = job;
    this.#limit(thread, job, job.limitMs);
    thread.worker.postMessage(job.request, job.transfer);
  }

  /** Ends the thread, and the job with it, when it says nothing for this long and some patience, ms. */
  #limit(thread: Thread, job: QueuedJob, limitMs: number): void {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(
      () => void this.#end(thread, new JobOverrun(`took longer than ${job.limitMs} ms`)),
      limitMs + PATIENCE_MS,
    );
  }

  #start(): void {
    const worker = new Worker(THREAD_URL, {
      name: "team-jobs",
      execArgv: [],
      env: {},
      resourceLimits: MEMORY_LIMITS,
    });
    const thread: Thread = { worker, isReady: false, teamId: undefined, job: undefined, timer: undefined };
    this.#threads.add(thread);
    thread.timer = setTimeout(
      () => void this.#end(thread, new Error("did not start")),
      START_LIMIT_MS,
    ).unref();
    worker.on("message", (answer: JobAnswer) => this.#receive(thread, answer));
    worker.on("error", (error) => {
      const isOutOfMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
      // A thread that can't even start is not tried again for ever: the jobs that wait are rejected.
      if (!thread.isReady) this.#rejectWaiting(error);
      void this.#end(thread, isOutOfMemory ? new JobOverrun("took too much memory") : error);
    });
    worker.on("exit", (code) => void this.#end(thread, new Error(`a job thread ended with code ${code}`)));
  }

  #receive(thread: Thread, answer: JobAnswer): void {
    if (answer.kind === "repeated") {
      const { job } = thread;
      if (job) this.#limit(thread, job, job.limitMs * (THREAD_LIMIT_STRETCH - 1));
      return;
    }
    clearTimeout(thread.timer);
    if (answer.kind === "ready") {
      thread.isReady = true;
      thread.worker.unref();
    } else {
      const { job } = thread;
      thread.job = undefined;
      thread.teamId = undefined;
      if (answer.kind === "done") job?.resolve(answer.output);
      else if (answer.kind === "overrun") job?.reject(new JobOverrun(`took longer than ${job.limitMs} ms`));
      else job?.reject(new Error(answer.message));
    }
    this.#assign();
  }

  #rejectWaiting(error: Error): void {
    for (const queue of this.#waiting.values()) for (const { reject } of queue) reject(error);
    this.#waiting.clear();
  }

  async #end(thread: Thread, reason: Error): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.job?.reject(reason);
    thread.job = undefined;
    const ended = thread.worker.terminate();
    this.#assign();
    await ended;
  }
}

/** The pool of this process. */
export const threadPool = new ThreadPool();
