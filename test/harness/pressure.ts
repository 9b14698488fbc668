/** What a process suffers while something is done to it: its slowest answer, its memory. */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { ControlPlane } from "./control-plane.ts";

/** Returns the result of the action, and the slowest answer of /healthz while it ran, ms. */
export async function slowestHealthDuring<T>(
  { url }: ControlPlane,
  action: () => Promise<T>,
): Promise<{ result: T; slowestMs: number }> {
  let isOver = false;
  let slowestMs = 0;
  const watch = async () => {
    while (!isOver) {
      const startMs = performance.now();
      const { status } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(60_000) });
      if (status !== 200) throw new Error(`/healthz answered ${status}`);
      await delay(10);
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
    }
  };
  const watching = watch();
  try {
    return { result: await action(), slowestMs };
  } finally {
    isOver = true;
    await watching;
  }
}

/** Returns the most memory that the process has had, bytes. */
export function memoryHighWaterBytes(pid: number): number {
  const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1]) * 1024;
}
