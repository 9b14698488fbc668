/**
 * Finds values in long JSON texts in worker threads: to parse a text of a few MiB takes up to a second, in which the event
 * loop of the agent would stand still. Where there are several teams they take turns, and the texts of one occupy one thread,
 * so that those of another find the other one free. Threads start when first needed, end when nothing was asked for a while, and never keep the
 * process alive.
 */
import { Worker } from "node:worker_threads";
import type { JsonPathStep } from "@svc/contract";
import { JobQueue } from "@svc/openapi";
import { NO_TEAM } from "./no-team.ts";

/** Longest text, in UTF-16 code units, that is parsed in the event loop: about 15 ms of it. Longer ones are parsed here. */
export const LOOP_JSON_LENGTH_MAX = 256 * 1024;

const WORKERS_MAX = 2;
/** Most texts that wait, and the bytes of them. A run must not wait for minutes. */
const WAITING_LIMITS = { waitingMax: 24, waitingBytesMax: 128 * 1024 * 1024 };
/** Time limit of one text, from the moment it is parsed: several times what the longest one takes. */
const FIND_LIMIT_MS = 10_000;
/** A thread without work for this long is ended, which frees its memory. */
const IDLE_MS = 10_000;
/** A thread that takes more memory ends alone, without the process. */
const HEAP_MIB_MAX = 512;
/** Enough to write JSON that nests as deeply as it may be parsed. */
const STACK_MIB = 16;
const MEMORY_LIMITS = { maxOldGenerationSizeMb: HEAP_MIB_MAX, stackSizeMb: STACK_MIB };

/** The place of a value, and how much of the value is handed back. */
export interface JsonSearch {
  steps: readonly JsonPathStep[];
  /** Longest JSON text of an array or object that is handed back whole. */
  charactersMax: number;
}

/**
 * A value that was found. value: a text, number, boolean or null; json: the JSON text of an array or object; start: the
 * first `charactersMax` characters of the JSON text of a longer one.
 */
export type FoundInJson =
  | { kind: "nothing" }
  | { kind: "value"; value: string | number | boolean | null }
  | { kind: "json"; json: string }
  | { kind: "start"; json: string };

/** Outcome of one text: what each search found, in order, or why the text can't be read; the message completes "the body ...". */
export type JsonOutcome = { kind: "found"; found: FoundInJson[] } | { kind: "unreadable"; message: string };

/** No thread had time for the text. Nothing is known about it. */
export class JsonPoolBusy extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonPoolBusy";
  }
}

/** The thread's program, as text rather than a file so that it survives bundling. */
const WORKER_SOURCE = `
const { parentPort } = require("node:worker_threads");
function find(root, { steps, charactersMax }) {
  let value = root;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return { kind: "nothing" };
    if (Array.isArray(value) !== (typeof step === "number") || !Object.hasOwn(value, step)) return { kind: "nothing" };
    value = value[step];
  }
  if (typeof value !== "object" || value === null) return { kind: "value", value };
  const json = JSON.stringify(value);
  return json.length <= charactersMax ? { kind: "json", json } : { kind: "start", json: json.slice(0, charactersMax) };
}
parentPort.on("message", ({ text, searches }) => {
  let root;
  try {
    root = JSON.parse(text);
  } catch (error) {
    parentPort.postMessage({ kind: "unreadable", message: "is not JSON: " + error.message });
    return;
  }
  parentPort.postMessage({ kind: "found", found: searches.map((search) => find(root, search)) });
});
`;

interface Job {
  team: string;
  text: string;
  bytes: number;
  searches: readonly JsonSearch[];
  resolve(outcome: JsonOutcome): void;
  reject(error: Error): void;
}

interface Seat {
  worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

const seats = new Set<Seat>();
const queue = new JobQueue<Job>(WAITING_LIMITS);

/**
 * Parses a text and finds values in it. Calls may overlap; those beyond the number of threads wait.
 * @param input.team names the team whose check received the text; NO_TEAM: there is one team only
 * @throws JsonPoolBusy when too much waits already, or the machine is too busy to parse the text in time
 * @throws Error when no thread can be started
 */
export function findInJson(input: {
  team: string;
  text: string;
  searches: readonly JsonSearch[];
}): Promise<JsonOutcome> {
  const { team, text, searches } = input;
  const queued = { team, text, bytes: text.length, searches };
  if (queue.refusalOf(queued) !== undefined)
    return Promise.reject(new JsonPoolBusy("too many long JSON bodies are waiting to be parsed"));
  return new Promise((resolve, reject) => {
    queue.add({ ...queued, resolve, reject });
    assign();
  });
}

/** Ends all threads and rejects the texts that wait. For tests and shutdown; the next text starts new threads. */
export async function closeJsonPool(): Promise<void> {
  for (const { reject } of queue.removeWhere(() => true)) reject(new Error("closed"));
  await Promise.all([...seats].map((seat) => leave(seat, new Error("closed"))));
}

function assign(): void {
  const seat = [...seats].find(({ job }) => !job) ?? (seats.size < WORKERS_MAX ? undefined : null);
  if (seat === null) return;
  const job = queue.next((team) => team === NO_TEAM || ![...seats].some((busy) => busy.job?.team === team));
  if (!job) return;
  start(seat ?? newSeat(), job);
  assign();
}

function newSeat(): Seat {
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    env: {},
    execArgv: [],
    name: "json",
    resourceLimits: MEMORY_LIMITS,
  });
  const seat: Seat = { worker, job: undefined, timer: undefined };
  worker.on("message", (outcome: JsonOutcome) => {
    finish(seat, (job) => job.resolve(outcome));
    if (!seats.has(seat)) return;
    worker.unref();
    seat.timer = setTimeout(() => void leave(seat), IDLE_MS).unref();
    assign();
  });
  worker.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ERR_WORKER_OUT_OF_MEMORY") {
      const message = `takes more than ${HEAP_MIB_MAX} MiB of memory when it is parsed as JSON`;
      finish(seat, (job) => job.resolve({ kind: "unreadable", message }));
    }
    void leave(seat, error);
    assign();
  });
  seats.add(seat);
  return seat;
}

function start(seat: Seat, job: Job): void {
  clearTimeout(seat.timer);
  seat.job = job;
  seat.worker.ref();
  seat.timer = setTimeout(() => {
    const error = new JsonPoolBusy(`a JSON body was not parsed within ${FIND_LIMIT_MS} ms`);
    void leave(seat, error);
    assign();
  }, FIND_LIMIT_MS);
  seat.worker.postMessage({ text: job.text, searches: job.searches });
}

function finish(seat: Seat, settle: (job: Job) => void): void {
  clearTimeout(seat.timer);
  const { job } = seat;
  seat.job = undefined;
  if (job) settle(job);
}

async function leave(seat: Seat, reason: Error = new Error("the thread ended")): Promise<void> {
  seats.delete(seat);
  finish(seat, (job) => job.reject(reason));
  await seat.worker.terminate();
}
