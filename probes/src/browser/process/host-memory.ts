/**
 * Shows whether this machine, or the container around the agent, ran out of memory. The kernel then ends whichever
 * process it likes.
 */
import { readFileSync } from "node:fs";

/**
 * Returns how many processes the kernel has ended for want of memory since it started; 0 where it does not say. Only
 * the growth of the number means something.
 */
export function countMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync("/proc/vmstat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
