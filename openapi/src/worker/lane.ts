/**
 * A lane: a worker thread and the jobs that wait for it. Jobs run one at a time, so that it is always known
 * which job overran its time, and teams take turns, so that a team waits for one job of each other team. A worker that
 * overran or broke is ended, and the next job gets a new one.
 */
import { Worker } from "node:worker_threads";
import { MINUTE_MS } from "@svc/contract";
import { JobQueue, type JobQueueLimits } from "./job-queue.ts";
import type { Job, JobResults, WorkerMessage } from "./protocol.ts";

/** Says that a job took longer than it may. */
export class JobOverrun extends Error {}
/** Says that as many jobs wait, or as many bytes of them, as the lane accepts. */
export class LaneFull extends Error {}
/** Says that the lane's worker is busy with another document for long: the job belongs to another lane. */
export class LaneStalled extends Error {}

/** Bounds of a lane: memory, waiting jobs and times. */
export interface LaneOptions extends JobQueueLimits {
  /** Largest heap of the worker, MiB; beyond it the worker ends and the job fails. */
  heapMiB: number;
  /** A worker without a job for this long is ended, which frees its memory. Default: it is kept. */
  idleMs?: number;
  /**
   * A judgement that takes longer stalls the lane: jobs of other documents are rejected with LaneStalled.
   * Default: never.
   */
  stallMs?: number;
}

/** Whose job it is, and its limits of time. */
export interface JobTerms {
  /** Names the team whose job it is. */
  team: string;
  runMs: number;
  /** Bounds the compilation of schemas, which `runMs` does not count. */
  preparingMs?: number;
  /** Buffers that are moved to the worker instead of copied. */
  transfer?: ArrayBuffer[];
}

interface Waiting {
  job: Job;
  terms: JobTerms;
  team: string;
  bytes: number;
  resolve(result: JobResults[keyof JobResults]): void;
  reject(error: Error): void;
}

/** Time limit of a worker's start, which is not part of a job's time. */
const START_LIMIT_MS = MINUTE_MS;

/** The worker's file: in a bundle it lies beside the file that this code was bundled into. */
const WORKER_URL = import.meta.url.endsWith(".ts")
  ? new URL("./from-source.mjs", import.meta.url)
  : new URL("./openapi-worker.js", import.meta.url);

/** Runs jobs one after the other in its worker thread; throws `JobOverrun` for one that exceeds its time. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting: JobQueue<Waiting>;
  #current: Waiting | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #stalledBy: { sha256: string; team: string } | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#waiting = new JobQueue(options);
  }

  /** Returns the team whose slow judgement a job about this document would wait for; undefined: there is none. */
  stallingTeamFor(sha256: string): string | undefined {
    return this.#stalledBy?.sha256 === sha256 ? undefined : this.#stalledBy?.team;
  }

  /** Runs a job. Rejects with JobOverrun, LaneFull, LaneStalled, or the job's error. */
  run<K extends Job["kind"]>(job: Extract<Job, { kind: K }>, terms: JobTerms): Promise<JobResults[K]> {
    if (this.#isClosed) return Promise.reject(new Error("the OpenAPI worker is closed"));
    const queued = { job, terms, team: terms.team, bytes: bytesOf(job) };
    const refusal = this.#waiting.refusalOf(queued);
    if (refusal !== undefined) return Promise.reject(new LaneFull(refusal));
    return new Promise((resolve, reject) => {
      this.#waiting.add({ ...queued, resolve: resolve as Waiting["resolve"], reject });
      this.#next();
    });
  }

  /** Ends the worker and rejects the jobs that run or wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.removeWhere(() => true))
      reject(new Error("the OpenAPI worker was closed"));
    await this.#endWorker(new Error("the OpenAPI worker was closed"));
  }

  #next(): void {
    if (this.#current || this.#isClosed) return;
    const next = this.#waiting.next();
    clearTimeout(this.#timer);
    if (!next) {
      this.#rest();
      return;
    }
    this.#current = next;
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    if (this.#isReady) this.#begin(this.#worker);
    else this.#limit(START_LIMIT_MS, new Error("the OpenAPI worker did not start"));
  }

  #begin(worker: Worker): void {
    if (!this.#current) return;
    const { job, terms } = this.#current;
    this.#limit(terms.runMs);
    worker.postMessage(job, terms.transfer ?? []);
  }

  #startWorker(): Worker {
    this.#isReady = false;
    const worker = new Worker(WORKER_URL, {
      name: "openapi",
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMiB },
    });
    worker.on("message", (message: WorkerMessage) => {
      if (worker !== this.#worker) return;
      if (message.kind !== "ready") this.#receive(message);
      else {
        this.#isReady = true;
        this.#begin(worker);
      }
    });
    const broke = (error: Error) => {
      if (worker === this.#worker) void this.#endWorker(error);
    };
    worker.on("error", broke);
    worker.on("exit", (code) => broke(new Error(`the OpenAPI worker ended with code ${code}`)));
    return worker;
  }

  #receive(message: Exclude<WorkerMessage, { kind: "ready" }>): void {
    const current = this.#current;
    if (!current) return;
    switch (message.kind) {
      case "preparing":
        this.#limit(current.terms.preparingMs ?? current.terms.runMs);
        this.#watchForStall(current);
        return;
      case "prepared":
        this.#limit(current.terms.runMs);
        return;
      case "done":
        current.resolve(message.result);
        break;
      case "failed":
        current.reject(new Error(message.message));
        break;
    }
    this.#endStall();
    this.#current = undefined;
    this.#next();
  }

  #watchForStall({ job, team }: Waiting): void {
    if (this.#options.stallMs === undefined || !("sha256" in job)) return;
    const { sha256 } = job;
    this.#stallTimer = setTimeout(() => {
      this.#stalledBy = { sha256, team };
      const ofOthers = ({ job: other }: Waiting) => !("sha256" in other && other.sha256 === sha256);
      for (const { reject } of this.#waiting.removeWhere(ofOthers))
        reject(new LaneStalled("the OpenAPI worker is busy with another document"));
    }, this.#options.stallMs);
  }

  #endStall(): void {
    clearTimeout(this.#stallTimer);
    this.#stalledBy = undefined;
  }

  /**
   * Ends the worker after the time limit and one more turn of the loop: an answer that arrived while this loop was busy
   * counts.
   */
  #limit(limitMs: number, error: Error = new JobOverrun(`took longer than ${limitMs} ms`)): void {
    clearTimeout(this.#timer);
    const job = this.#current;
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => {
        if (this.#current === job) void this.#endWorker(error);
      }, 10);
    }, limitMs);
  }

  #rest(): void {
    this.#worker?.unref();
    if (this.#options.idleMs === undefined) return;
    this.#timer = setTimeout(() => void this.#endWorker(), this.#options.idleMs).unref();
  }

  async #endWorker(reason?: Error): Promise<void> {
    clearTimeout(this.#timer);
    this.#endStall();
    const worker = this.#worker;
    const current = this.#current;
    this.#worker = undefined;
    this.#current = undefined;
    if (current) current.reject(reason ?? new Error("the OpenAPI worker ended"));
    const ended = worker?.terminate();
    this.#next();
    await ended;
  }
}

/** Returns the bytes that a job holds while it waits, without its small fields. */
function bytesOf(job: Job): number {
  switch (job.kind) {
    case "parse_upload":
    case "compile":
      return job.bytes.byteLength;
    case "load":
      return job.json.byteLength;
    case "judge":
      return 2 * job.response.bodyText.length;
  }
}
