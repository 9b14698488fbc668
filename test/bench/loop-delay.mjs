/**
 * Measures how long the process that imports it holds its event loop. On SIGUSR2 it appends a line of JSON to
 * BENCH_LOOP_FILE: the longest time between two turns since the last line, `wallMs` and the CPU of it, `cpuMs`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const RESOLUTION_MS = 1;

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  /** CPU time of this thread so far, ms (proc(5), schedstat: nanoseconds). */
  const cpuMs = () =>
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  let lastMs = cpuMs();
  let longestMs = 0;
  const tick = () => {
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  setInterval(tick, RESOLUTION_MS).unref();
  process.on("SIGUSR2", () => {
    tick();
    appendFileSync(
      process.env.BENCH_LOOP_FILE,
      `${JSON.stringify({ wallMs: delay.max / 1e6, cpuMs: longestMs })}\n`,
    );
    delay.reset();
    longestMs = 0;
  });
}
