/**
 * Judges waits and holds of this thread's event loop without wall time, so that no test depends on how busy the machine
 * is.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const TURN_MS = 50;

/**
 * Returns what a promise resolves to, or rejects when it is not settled after so many ms, counted in short waits: time
 * in which the whole process stood still counts as one of them only.
 */
export async function settledWithin<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  work.then(settled, settled);
  for (let waitedMs = 0; !isSettled && waitedMs < limitMs; waitedMs += TURN_MS) await sleep(TURN_MS);
  if (!isSettled) throw new Error(`${what} had not ended after ${limitMs} ms`);
  return work;
}

/**
 * Waits in short turns, in each of which this thread takes what has arrived. A single sleep would be over on a busy
 * machine before anything was read.
 */
export async function turnsOf(ms: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < ms; waitedMs += TURN_MS) await sleep(TURN_MS);
}

/** Measures how long the work of this thread held its event loop, by the CPU time that it used between two turns. */
export class LoopHold {
  #longestMs = 0;
  #lastMs = threadCpuMs();
  readonly #timer = setInterval(() => {
    const nowMs = threadCpuMs();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }, 5);

  /** Ends the measurement. @returns the longest hold, ms of CPU time */
  end(): number {
    clearInterval(this.#timer);
    return this.#longestMs;
  }
}

/** Returns the CPU time that the calling thread has used, ms (proc(5), schedstat: nanoseconds). */
function threadCpuMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
}
