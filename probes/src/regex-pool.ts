/**
 * Matches patterns that strangers wrote, each within one second. JavaScript's engine can't be interrupted, so it runs in worker
 * threads: the event loop stays free, and a thread that overruns is ended and replaced. A few threads, so that one bad
 * pattern does not hold up the others. Threads start when first needed and never keep the process alive.
 */
import { Worker } from "node:worker_threads";

const WORKERS_MAX = 4;
/** How long one match may take once it runs. */
export const MATCH_LIMIT_MS = 1_000;
/** A match needs its text and little more; beyond it the thread ends, not the process. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };
/** Of the matched text, handed back as evidence. */
const EVIDENCE_CHARACTERS_MAX = 1_000;

export type MatchOutcome =
  | { kind: "match"; text: string }
  | { kind: "no_match" }
  | { kind: "invalid"; message: string }
  | { kind: "overrun" };

/** Source text rather than a file, so that it survives bundling. */
const WORKER_SOURCE = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ pattern, text }) => {
  let outcome;
  try {
    const found = new RegExp(pattern).exec(text);
    outcome = found ? { kind: "match", text: found[0].slice(0, ${EVIDENCE_CHARACTERS_MAX}) } : { kind: "no_match" };
  } catch (error) {
    outcome = { kind: "invalid", message: String(error && error.message) };
  }
  parentPort.postMessage(outcome);
});
parentPort.postMessage("ready");
`;

interface Job {
  pattern: string;
  text: string;
  resolve(outcome: MatchOutcome): void;
  reject(error: Error): void;
}

interface Seat {
  worker: Worker;
  isReady: boolean;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

const seats = new Set<Seat>();
const queue: Job[] = [];

/**
 * Searches a text for a pattern. Calls may overlap; those beyond the threads wait their turn, and the limit counts from its
 * beginning.
 * @returns the first match, or why there is none  @throws Error when a thread can't be had
 */
export function matchPattern(pattern: string, text: string): Promise<MatchOutcome> {
  return new Promise((resolve, reject) => {
    queue.push({ pattern, text, resolve, reject });
    assign();
  });
}

/** Ends all threads; waiting matches are rejected. For tests and shutdown; the next match starts new ones. */
export async function closeRegexPool(): Promise<void> {
  const closing = [...seats];
  for (const job of queue.splice(0)) job.reject(new Error("closed"));
  await Promise.all(closing.map((seat) => leave(seat, new Error("closed"))));
}

function assign(): void {
  for (const seat of seats) {
    if (queue.length === 0) return;
    if (seat.isReady && !seat.job) start(seat, queue.shift() as Job);
  }
  const starting = [...seats].filter(({ isReady }) => !isReady).length;
  for (let wanted = queue.length - starting; wanted > 0 && seats.size < WORKERS_MAX; wanted--)
    seats.add(newSeat());
}

function newSeat(): Seat {
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: MEMORY_LIMITS,
  });
  const seat: Seat = { worker, isReady: false, job: undefined, timer: undefined };
  worker.on("message", (message: "ready" | MatchOutcome) => {
    if (message === "ready") {
      seat.isReady = true;
      worker.unref();
    } else finish(seat, message);
    assign();
  });
  worker.on("error", (error) => {
    // Out of memory over a pattern: as hopeless as out of time.
    if (seat.job) finish(seat, { kind: "overrun" });
    void leave(seat, error);
    // A thread that can't even start must not be retried for ever: whoever waits is told.
    if (!seat.isReady) for (const job of queue.splice(0)) job.reject(error);
    assign();
  });
  return seat;
}

function start(seat: Seat, job: Job): void {
  seat.job = job;
  seat.timer = setTimeout(() => {
    finish(seat, { kind: "overrun" });
    void leave(seat);
    assign();
  }, MATCH_LIMIT_MS);
  seat.worker.postMessage({ pattern: job.pattern, text: job.text });
}

function finish(seat: Seat, outcome: MatchOutcome): void {
  clearTimeout(seat.timer);
  const { job } = seat;
  seat.job = undefined;
  job?.resolve(outcome);
}

async function leave(seat: Seat, reason?: Error): Promise<void> {
  clearTimeout(seat.timer);
  seats.delete(seat);
  seat.job?.reject(reason ?? new Error("the thread ended"));
  seat.job = undefined;
  await seat.worker.terminate();
}
