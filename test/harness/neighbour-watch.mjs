/**
 * Thread that makes a request again and again and keeps the time of its longest answer, and how slow the machine was
 * meanwhile: the longest real time of a piece of work as a multiple of the CPU time that it took. A thread of its own,
 * so that a test which is busy itself does not count.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, apiKey } = workerData;
/** CPU time of the piece of work, ms: several ticks of the scheduler, by which CPU time is counted. */
const WORK_MS = 20;
/** Requests between two pieces of work. */
const REQUESTS = 8;

/** Returns the CPU time of this thread so far, ms (proc(5), schedstat: nanoseconds). */
const cpuMs = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;

/** Returns the real time of a piece of work as a multiple of its CPU time. */
function slowness() {
  const startMs = performance.now();
  const startCpuMs = cpuMs();
  let workedMs = 0;
  while (workedMs < WORK_MS) workedMs = cpuMs() - startCpuMs;
  return (performance.now() - startMs) / workedMs;
}

let isOver = false;
parentPort.once("message", () => {
  isOver = true;
});
let longestMs = 0;
let slownessMax = slowness();
let answers = 0;
parentPort.postMessage({ isStarted: true });
while (!isOver || answers < REQUESTS) {
  const startMs = performance.now();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(60_000),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  longestMs = Math.max(longestMs, performance.now() - startMs);
  answers += 1;
  if (answers % REQUESTS === 0) slownessMax = Math.max(slownessMax, slowness());
  await delay(25);
}
parentPort.postMessage({ longestMs, slowness: slownessMax });
