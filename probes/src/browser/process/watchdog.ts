/**
 * Watches a tree of processes where no control group can be made: measures it several times a second and reports when
 * the tree is too large. Memory that processes share and files in memory count too, since a script can make as much of
 * them as of any other. Not seen are files in memory that no process maps and that lie outside the box's own folders;
 * where those matter, let the agent make control groups.
 */
import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import type { Limits } from "./cgroup.ts";

const LOOK_INTERVAL_MS = 200;
/** Shared memory of a process from which on its part is worth the kernel's while to compute. */
const SHARED_BYTES_LOOKED_AT = 64 * 1024 * 1024;
/** Folders of a sandbox that are kept in memory. */
const MEMORY_FOLDERS = ["dev/shm", "tmp"];

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
 * Measures a process and all its descendants: their own memory, the shared memory and the files in memory that they
 * use. Programs that they map from the disk are not counted.
 */
export function measureTree(rootPid: number): { processes: number; residentBytes: number } {
  const pids = treeOf(rootPid);
  const sum = { ownBytes: 0, sharedBytes: 0 };
  for (const pid of pids) {
    const memory = memoryOf(pid);
    sum.ownBytes += memory.ownBytes;
    sum.sharedBytes += memory.sharedBytes;
  }
  // Files in memory that are mapped are shared memory as well, so the larger of the two is the part of both that is certain.
  const residentBytes = sum.ownBytes + Math.max(sum.sharedBytes, fileBytesOf(pids.at(-1)));
  return { processes: pids.length, residentBytes };
}

/** Returns the ids of a process and its descendants, parents first. */
function treeOf(rootPid: number): number[] {
  const children = new Map<number, number[]>();
  const known = new Set<number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The command, in brackets, may contain anything.
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      const siblings = children.get(parent);
      if (siblings) siblings.push(pid);
      else children.set(parent, [pid]);
      known.add(pid);
    } catch {
      // the process has ended meanwhile
    }
  }
  const tree = known.has(rootPid) ? [rootPid] : [];
  for (let at = 0; at < tree.length; at++) tree.push(...(children.get(tree[at] as number) ?? []));
  return tree;
}

/**
 * Returns the memory of one process. Of what it shares with others it has its part, where the kernel says how large
 * that is.
 */
function memoryOf(pid: number): { ownBytes: number; sharedBytes: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const sharedBytes = kilobytesIn(status, "RssShmem");
    return {
      ownBytes: kilobytesIn(status, "RssAnon"),
      sharedBytes: sharedBytes > SHARED_BYTES_LOOKED_AT ? (partOfShared(pid) ?? sharedBytes) : sharedBytes,
    };
  } catch {
    return { ownBytes: 0, sharedBytes: 0 };
  }
}

/** Takes longer than the other measures, since the kernel looks at every page. */
function partOfShared(pid: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return /^Pss_Shmem:/m.test(rollup) ? kilobytesIn(rollup, "Pss_Shmem") : undefined;
  } catch {
    return undefined;
  }
}

function kilobytesIn(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0) * 1024;
}

/** Returns the bytes of the files that a sandbox keeps in memory; 0 for a process that has the machine's own folders. */
function fileBytesOf(pid: number | undefined): number {
  let bytes = 0;
  for (const folder of MEMORY_FOLDERS) {
    try {
      const inside = `/proc/${pid}/root/${folder}`;
      if (statSync(inside).dev === statSync(`/${folder}`).dev) continue;
      const { blocks, bfree, bsize } = statfsSync(inside);
      bytes += (blocks - bfree) * bsize;
    } catch {
      // the process has ended meanwhile
    }
  }
  return bytes;
}
