/**
 * Thread that asks a service for /healthz again and again, and measures how much CPU time the service's event loop
 * used until each answer was there. A thread of its own, so that a test which is busy itself does not count as a wait;
 * CPU time, so that a busy machine does not either.
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const { url, pid } = workerData;

/** Returns the CPU time that the main thread of the process has used so far, ms (proc(5), schedstat: nanoseconds). */
const loopCpuMs = () =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

let isOver = false;
parentPort.once("message", () => {
  isOver = true;
});

let longestCpuMs = 0;
let answers = 0;
while (!isOver || answers === 0) {
  const startMs = loopCpuMs();
  const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(60_000) });
  if (status !== 200) throw new Error(`/healthz answered ${status}`);
  longestCpuMs = Math.max(longestCpuMs, loopCpuMs() - startMs);
  answers += 1;
  if (answers === 1) parentPort.postMessage({ isStarted: true });
  await delay(10);
}
parentPort.postMessage({ longestCpuMs });
