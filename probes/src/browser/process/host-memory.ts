/** Whether this machine, or the container around the agent, ran out of memory: then the kernel ends whom it likes. */
import { readFileSync } from "node:fs";

/** Processes that the kernel ended for want of memory since it started; 0 where it does not say. Only its growth means something. */
export function countMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
