/**
 * Matches patterns that strangers wrote, each within one second. JavaScript's regex engine can't be interrupted, so
 * matching runs in worker threads: the event loop stays free, and a thread that overruns is ended and replaced. A pattern
 * that overran is remembered. For a while it is not tried again on the text it overran on, and all such patterns
 * share one thread from then on, so that they never hold up the others, however many they are. Where there are several teams
 * they take turns, and one team's matches occupy half of the threads, since its patterns may overrun one after another. Threads start when
 * first needed and never keep the process alive.
 */

import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { JobQueue } from "@svc/openapi";
import { monotonicMs } from "./machine-clocks.ts";
import { NO_TEAM } from "./no-team.ts";

const WORKERS_MAX = 4;
/** Most threads that one team's matches occupy. */
const TEAM_WORKERS_MAX = 2;
/** Most threads that may at a time run patterns that overran before. */
const SLOW_AT_ONCE_MAX = 1;
/**
 * Most matches of such patterns that may wait, ten of one team. Each may take the whole limit, and a run must not wait for
 * minutes.
 */
const SLOW_WAITING_MAX = 13;
/**
 * How long a pattern is not tried again on a text it overran on. The time is limited, since a busy machine may have
 * been the reason.
 */
const OVERRUN_REMEMBERED_MS = 120_000;
/** Most patterns that are remembered for having overrun; the oldest is forgotten first. */
const SLOW_PATTERNS_MAX = 10_000;
/** Time limit of one match, from the moment it runs. */
export const MATCH_LIMIT_MS = 1_000;
/** A match needs its text and little more. A thread that takes more memory ends alone, without the process. */
const MEMORY_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 64 };
/** Largest part of the matched text that is handed back as evidence. */
const EVIDENCE_CHARACTERS_MAX = 1_000;

/**
 * Outcome of one match. match: `text` is the matched part; invalid: the pattern is none; overrun: the match took
 * longer than its second and was ended.
 */
export type MatchOutcome =
  | { kind: "match"; text: string }
  | { kind: "no_match" }
  | { kind: "invalid"; message: string }
  | { kind: "overrun" };

/** Too many matches of patterns that overran before are waiting. Nothing is known about this match. */
export class RegexPoolBusy extends Error {
  constructor() {
    super("too many matches of patterns that overran before are waiting already");
    this.name = "RegexPoolBusy";
  }
}

/** The thread's program, as text rather than a file so that it survives bundling. */
const WORKER_SOURCE = `
const { parentPort } = require("node:worker_threads");
parentPort.on("message", ({ pattern, text, group, charactersMax }) => {
  let outcome;
  try {
    const part = new RegExp(pattern).exec(text)?.[group];
    outcome = part === undefined ? { kind: "no_match" } : { kind: "match", text: part.slice(0, charactersMax) };
  } catch (error) {
    outcome = { kind: "invalid", message: String(error && error.message) };
  }
  parentPort.postMessage(outcome);
});
parentPort.postMessage("ready");
`;

/** A search for a part of a text. */
export interface PatternSearch {
  /** Names the team whose pattern it is, whose matches take turns with those of others; NO_TEAM: there is one team only. */
  team: string;
  pattern: string;
  text: string;
  /** The group of the pattern that is wanted; 0: the whole match. */
  group: number;
  /** Most characters of the part that are handed back. */
  charactersMax: number;
}

interface Job extends PatternSearch {
  bytes: number;
  /** True when the pattern overran before. */
  isSlow: boolean;
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
/** Matches that no pattern has set apart. A run waits for its own, so there are no more of them than runs. */
const queue = new JobQueue<Job>({
  waitingMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
});
const slowQueue = new JobQueue<Job>({
  waitingMax: SLOW_WAITING_MAX,
  waitingBytesMax: Number.POSITIVE_INFINITY,
});
/** The text that each pattern overran on last. Digests, since patterns and texts may be long. */
const slowPatterns = new Map<string, { textDigest: string; skippedUntilMs: number }>();

/**
 * Searches a text for a pattern. Calls may overlap; those beyond the number of threads wait, and their time limit
 * begins with their turn.
 * @param team names the team whose pattern it is; default: there is one team only
 * @returns the first match, or why there is none
 * @throws RegexPoolBusy
 * @throws Error when no thread can be started
 */
export function matchPattern(pattern: string, text: string, team = NO_TEAM): Promise<MatchOutcome> {
  return findPart({ team, pattern, text, group: 0, charactersMax: EVIDENCE_CHARACTERS_MAX });
}

/**
 * Searches a text for a group of a pattern, as {@link matchPattern} does for all of it.
 * @returns no_match also when the pattern matches without the group
 * @throws RegexPoolBusy
 * @throws Error when no thread can be started
 */
export function findPart(search: PatternSearch): Promise<MatchOutcome> {
  return new Promise((resolve, reject) => {
    queue.add({ ...search, bytes: 0, isSlow: false, resolve, reject });
    assign();
  });
}

/**
 * Ends all threads, rejects the matches that wait and forgets the patterns that overran. For tests and shutdown; the
 * next match starts new threads.
 */
export async function closeRegexPool(): Promise<void> {
  const closing = [...seats];
  rejectWaiting(new Error("closed"));
  slowPatterns.clear();
  await Promise.all(closing.map((seat) => leave(seat, new Error("closed"))));
}

function assign(): void {
  setSlowApart();
  for (const seat of seats) {
    if (!seat.isReady || seat.job) continue;
    const job = nextJob();
    if (!job) break;
    start(seat, job);
  }
  const starting = [...seats].filter(({ isReady }) => !isReady).length;
  const startable = queue.count(mayRun) + (isSlowJobDue() ? 1 : 0);
  for (let wanted = startable - starting; wanted > 0 && seats.size < WORKERS_MAX; wanted--)
    seats.add(newSeat());
}

/** Moves the waiting matches of patterns that have overrun to a queue of their own. */
function setSlowApart(): void {
  if (slowPatterns.size === 0) return;
  for (const job of queue.removeWhere(({ pattern }) => slowPatterns.has(digestOf(pattern)))) {
    const slow = slowPatterns.get(digestOf(job.pattern));
    if (!slow) continue;
    if (slow.skippedUntilMs > monotonicMs() && slow.textDigest === digestOf(job.text))
      job.resolve({ kind: "overrun" });
    else if (slowQueue.refusalOf(job) === undefined) slowQueue.add(job);
    else job.reject(new RegexPoolBusy());
  }
}

function nextJob(): Job | undefined {
  const job = isSlowJobDue() ? slowQueue.next() : queue.next(mayRun);
  if (job) job.isSlow = slowPatterns.size > 0 && slowPatterns.has(digestOf(job.pattern));
  return job;
}

/** True when a team's matches may occupy another thread. */
function mayRun(team: string): boolean {
  return team === NO_TEAM || [...seats].filter(({ job }) => job?.team === team).length < TEAM_WORKERS_MAX;
}

function isSlowJobDue(): boolean {
  if (slowQueue.length === 0) return false;
  return [...seats].filter(({ job }) => job?.isSlow).length < SLOW_AT_ONCE_MAX;
}

function rejectWaiting(error: Error): void {
  for (const job of [queue, slowQueue].flatMap((of) => of.removeWhere(() => true))) job.reject(error);
}

/** Remembers or forgets a pattern by the outcome of its match, which decides how its next match is queued. */
function remember({ pattern, text, isSlow }: Job, outcome: MatchOutcome): void {
  if (outcome.kind !== "overrun") {
    if (isSlow) slowPatterns.delete(digestOf(pattern));
    return;
  }
  const digest = digestOf(pattern);
  slowPatterns.delete(digest);
  if (slowPatterns.size >= SLOW_PATTERNS_MAX) slowPatterns.delete(slowPatterns.keys().next().value as string);
  slowPatterns.set(digest, {
    textDigest: digestOf(text),
    skippedUntilMs: monotonicMs() + OVERRUN_REMEMBERED_MS,
  });
}

function digestOf(text: string): string {
  return createHash("sha1").update(text).digest("base64");
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
    // Running out of memory over a pattern counts like running out of time.
    if (seat.job) finish(seat, { kind: "overrun" });
    void leave(seat, error);
    // A thread that can't even start is not retried for ever: the matches that wait are rejected.
    if (!seat.isReady) rejectWaiting(error);
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
  const { pattern, text, group, charactersMax } = job;
  seat.worker.postMessage({ pattern, text, group, charactersMax });
}

function finish(seat: Seat, outcome: MatchOutcome): void {
  clearTimeout(seat.timer);
  const { job } = seat;
  seat.job = undefined;
  if (!job) return;
  remember(job, outcome);
  job.resolve(outcome);
}

async function leave(seat: Seat, reason?: Error): Promise<void> {
  clearTimeout(seat.timer);
  seats.delete(seat);
  seat.job?.reject(reason ?? new Error("the thread ended"));
  seat.job = undefined;
  await seat.worker.terminate();
}
