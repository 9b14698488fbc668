/**
 * Watches a tree of processes where no control group can be made: measures it several times a second and reports when
 * it is too large.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { Limits } from "./cgroup.ts";

const LOOK_INTERVAL_MS = 200;
const PAGE_BYTES = 4096;

/**
 * Calls `onExceeded` once, with the limit that is exceeded.
 * @returns a function that stops watching
 */
export function watchTree(
  rootPid: number,
  { memoryBytesMax, processesMax }: Limits,
  onExceeded: (limit: "memory" | "processes") => void,
): () => void {
  const timer = setInterval(() => {
    const { processes, residentBytes } = measureTree(rootPid);
    if (residentBytes <= memoryBytesMax && processes <= processesMax) return;
    clearInterval(timer);
    onExceeded(residentBytes > memoryBytesMax ? "memory" : "processes");
  }, LOOK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Measures a process and all its descendants. Memory that several of them share is counted for each, so never too
 * low.
 */
export function measureTree(rootPid: number): { processes: number; residentBytes: number } {
  const children = new Map<number, number[]>();
  const resident = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command, in brackets, may contain anything.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const parent = Number(fields[1]);
      children.set(parent, [...(children.get(parent) ?? []), pid]);
      const [, pages, shared] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ").map(Number);
      resident.set(pid, ((pages ?? 0) - (shared ?? 0)) * PAGE_BYTES);
    } catch {
      // the process has ended meanwhile
    }
  }
  let processes = 0;
  let residentBytes = 0;
  const pending = [rootPid];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    if (!resident.has(pid)) continue;
    processes++;
    residentBytes += Math.max(0, resident.get(pid) as number);
    pending.push(...(children.get(pid) ?? []));
  }
  return { processes, residentBytes };
}
