/**
 * A lane: a worker thread and the jobs that wait for it. Jobs run one at a time, first come first served, so that it is
 * always known which job overran its time. A worker that overran or broke is ended, and the next job gets a new one.
 */
import { Worker } from "node:worker_threads";
import { MINUTE_MS } from "@svc/contract";
import type { Job, JobResults, WorkerMessage } from "./protocol.ts";

/** Says that a job took longer than it may. */
export class JobOverrun extends Error {}
/** Says that as many jobs wait, or as many bytes of them, as the lane accepts. */
export class LaneFull extends Error {}
/** Says that the lane's worker is busy compiling another document for long: the job belongs to another lane. */
export class LaneStalled extends Error {}

/** Bounds of a lane: memory, waiting jobs and times. */
export interface LaneOptions {
  /** Largest heap of the worker, MiB; beyond it the worker ends and the job fails. */
  heapMiB: number;
  /** A worker without a job for this long is ended, which frees its memory. Default: it is kept. */
  idleMs?: number;
  /** Most jobs that wait. */
  waitingMax: number;
  /** Most bytes that the waiting jobs may hold, unless nothing else waits. */
  waitingBytesMax: number;
  /**
   * A job that compiles schemas for longer stalls the lane: jobs of other documents are rejected with LaneStalled.
   * Default: never.
   */
  stallMs?: number;
}

/** Time limits of a job. `preparingMs` bounds the compilation of schemas, which `runMs` does not count. */
export interface JobLimits {
  runMs: number;
  preparingMs?: number;
}

interface Waiting {
  job: Job;
  transfer: ArrayBuffer[];
  limits: JobLimits;
  resolve(result: JobResults[keyof JobResults]): void;
  reject(error: Error): void;
}

/** Time limit of a worker's start, which is not part of a job's time. */
const START_LIMIT_MS = MINUTE_MS;

/** The worker's file: in a bundle it lies beside the file that this code was bundled into. */
const WORKER_URL = import.meta.url.endsWith(".ts")
  ? new URL("./from-source.mjs", import.meta.url)
  : new URL("./openapi-worker.js", import.meta.url);

/** See the head of this file. */
export class Lane {
  readonly #options: LaneOptions;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #current: Waiting | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #stalledBy: string | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** True when a job about this document would wait for the slow compilation of another one. */
  isStalledFor(sha256: string): boolean {
    return this.#stalledBy !== undefined && this.#stalledBy !== sha256;
  }

  /**
   * Runs a job. Rejects with JobOverrun, LaneFull, LaneStalled, or the job's error.
   * @param transfer buffers that are moved instead of copied
   */
  run<K extends Job["kind"]>(
    job: Extract<Job, { kind: K }>,
    limits: JobLimits,
    transfer: ArrayBuffer[] = [],
  ): Promise<JobResults[K]> {
    if (this.#isClosed) return Promise.reject(new Error("the OpenAPI worker is closed"));
    if (this.#waiting.length >= this.#options.waitingMax)
      return Promise.reject(new LaneFull(`${this.#waiting.length} OpenAPI jobs are waiting already`));
    if (this.#waiting.length > 0 && this.#waitingBytes + bytesOf(job) > this.#options.waitingBytesMax)
      return Promise.reject(new LaneFull(`${this.#waitingBytes} bytes of OpenAPI jobs are waiting already`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, transfer, limits, resolve: resolve as Waiting["resolve"], reject });
      this.#waitingBytes += bytesOf(job);
      this.#next();
    });
  }

  /** Ends the worker and rejects the jobs that run or wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waitingBytes = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error("the OpenAPI worker was closed"));
    await this.#endWorker(new Error("the OpenAPI worker was closed"));
  }

  #next(): void {
    if (this.#current || this.#isClosed) return;
    const next = this.#waiting.shift();
    clearTimeout(this.#timer);
    if (!next) {
      this.#rest();
      return;
    }
    this.#waitingBytes -= bytesOf(next.job);
    this.#current = next;
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    if (this.#isReady) this.#begin(this.#worker);
    else this.#limit(START_LIMIT_MS, new Error("the OpenAPI worker did not start"));
  }

  #begin(worker: Worker): void {
    if (!this.#current) return;
    this.#limit(this.#current.limits.runMs);
    worker.postMessage(this.#current.job, this.#current.transfer);
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
        this.#limit(current.limits.preparingMs ?? current.limits.runMs);
        this.#watchForStall(current.job);
        return;
      case "prepared":
        this.#endStall();
        this.#limit(current.limits.runMs);
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

  #watchForStall(job: Job): void {
    if (this.#options.stallMs === undefined || !("sha256" in job)) return;
    const { sha256 } = job;
    this.#stallTimer = setTimeout(() => {
      this.#stalledBy = sha256;
      const isOwn = ({ job: other }: Waiting) => "sha256" in other && other.sha256 === sha256;
      const others = this.#waiting.filter((waiting) => !isOwn(waiting));
      this.#waiting = this.#waiting.filter(isOwn);
      for (const { job: other, reject } of others) {
        this.#waitingBytes -= bytesOf(other);
        reject(new LaneStalled("the OpenAPI worker is compiling another document"));
      }
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
