/** The size of this machine, or of the part of it that its container may use. */
import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";

/** Most processes of one agent: more cores than that want more machines. */
export const PROCESSES_MAX = 64;
/** Memory that `auto` reckons with for each process, without its browser: its own, and that for response bodies. */
const PROCESS_MEMORY_BYTES = 384 * 1024 * 1024;

/** Returns the memory in bytes. */
export function availableMemoryBytes(): number {
  const constrained = process.constrainedMemory() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Returns the number of cores, at least 1. */
export function availableCores(): number {
  return Math.max(1, Math.min(availableParallelism(), coresOfQuota(readQuota()) ?? Number.POSITIVE_INFINITY));
}

/** Returns one process for each core, as far as half of the memory suffices; the other half is the browser's. */
export function autoProcesses(memoryBytes: number, cores = availableCores()): number {
  const fitting = Math.floor(memoryBytes / 2 / PROCESS_MEMORY_BYTES);
  return Math.max(1, Math.min(cores, fitting, PROCESSES_MAX));
}

/** Returns the whole cores that a control group's `cpu.max` allows, at least 1; undefined: it sets no limit. */
export function coresOfQuota(cpuMax: string | undefined): number | undefined {
  const [quota, period] = (cpuMax ?? "max").trim().split(" ").map(Number);
  if (!quota || !period) return undefined;
  return Math.max(1, Math.floor(quota / period));
}

function readQuota(): string | undefined {
  try {
    return readFileSync("/sys/fs/cgroup/cpu.max", "utf8");
  } catch {
    return undefined; // no control groups of version 2, or the root group
  }
}
