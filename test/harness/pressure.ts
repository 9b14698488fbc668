/** Measures the strain on a process while a test attacks it: the longest wait for its event loop, and its memory. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { ControlPlane } from "./control-plane.ts";

/** Most CPU time of the event loop that an answer of /healthz may wait for during an attack, ms. */
export const WAIT_CPU_MS_MAX = 250;

/**
 * Returns the result of the action, and the most CPU time that the service's event loop used while an answer of
 * /healthz was waited for, ms: the time for which a visitor is held up on a machine that does nothing else.
 */
export async function longestWaitDuring<T>(
  { url, process: { pid } }: ControlPlane,
  action: () => Promise<T>,
): Promise<{ result: T; waitCpuMs: number }> {
  const watch = new Worker(new URL("./health-watch.mjs", import.meta.url), { workerData: { url, pid } });
  await once(watch, "message");
  try {
    const result = await action();
    const last = once(watch, "message");
    watch.postMessage("over");
    const [{ longestCpuMs }] = await last;
    return { result, waitCpuMs: longestCpuMs };
  } finally {
    await watch.terminate();
  }
}

/** How a request of a team was answered for a time, and how slow the machine was meanwhile. */
export interface NeighbourWatch {
  /** Time of the longest answer, ms. */
  longestMs: number;
  /** Longest real time of a piece of work as a multiple of its CPU time; 1 on an idle machine. */
  slowness: number;
}

/** Makes a request of a team again and again during the action. */
export async function watchNeighbourDuring(
  { url, apiKey }: { url: string; apiKey: string },
  action: () => Promise<unknown>,
): Promise<NeighbourWatch> {
  const watch = new Worker(new URL("./neighbour-watch.mjs", import.meta.url), {
    workerData: { url, apiKey },
  });
  await once(watch, "message");
  try {
    await action();
    const last = once(watch, "message");
    watch.postMessage("over");
    const [watched] = await last;
    return watched;
  } finally {
    await watch.terminate();
  }
}

/** Returns the most memory that the process has had, bytes. */
export function memoryHighWaterBytes(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1]) * 1024;
}
