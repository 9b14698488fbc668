/**
 * Makes a control group for each driver, on machines that allow it: the kernel then limits the memory and number of the
 * whole tree of processes, and gives them less CPU time than the agent when both want it. Supports control groups of
 * versions 1 and 2.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** Where the kernel shows control groups, and which one this process is in. */
interface CgroupSystem {
  root: string;
  ownGroupFile: string;
}

const KERNEL: CgroupSystem = { root: "/sys/fs/cgroup", ownGroupFile: "/proc/self/cgroup" };

/** A group's part of the CPU time that several want. The agent and everything else have 1024. */
const CPU_SHARES = 256;
/** Period of the limit of CPU time, us. */
const CPU_PERIOD_US = 100_000;
/** Share of the machine's CPU time that one driver with all of its processes may have. */
const CPU_SHARE_MAX = 0.75;

/** Most memory (bytes) and most processes that a driver's whole tree of processes may have. */
export interface Limits {
  memoryBytesMax: number;
  processesMax: number;
}

/** The control group of one driver. Remove it after its last process ended. */
export class Cgroup {
  /** The folders of the group; version 1 has one per controller. */
  readonly folders: readonly string[];
  readonly #events: string;

  private constructor(folders: readonly string[], events: string) {
    this.folders = folders;
    this.#events = events;
  }

  /** Makes a group, or returns undefined where none can be made. */
  static create(name: string, limits: Limits, system = KERNEL): Cgroup | undefined {
    const isV2 = existsSync(join(system.root, "cgroup.controllers"));
    try {
      return isV2 ? createV2(name, limits, system) : createV1(name, limits, system);
    } catch {
      return undefined;
    }
  }

  static of(folders: readonly string[], events: string): Cgroup {
    return new Cgroup(folders, events);
  }

  /** Number of times that the kernel ended a process of the group because it was out of memory. */
  get memoryKills(): number {
    try {
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.#events, "utf8"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }

  /**
   * Removes the group. Its processes must have ended.
   * @returns false when one of them has not quite ended yet
   */
  remove(): boolean {
    let isGone = true;
    for (const folder of this.folders) {
      try {
        rmdirSync(folder);
      } catch {
        isGone &&= !existsSync(folder);
      }
    }
    return isGone;
  }
}

function createV1(name: string, { memoryBytesMax, processesMax }: Limits, { root }: CgroupSystem): Cgroup {
  const memory = join(root, "memory", name);
  const pids = join(root, "pids", name);
  const cpu = createCpuV1(join(root, "cpu", name));
  try {
    mkdirSync(memory);
    mkdirSync(pids);
    writeFileSync(join(memory, "memory.limit_in_bytes"), String(memoryBytesMax));
    writeFileSync(join(pids, "pids.max"), String(processesMax));
  } catch (error) {
    Cgroup.of([memory, pids, ...cpu], "").remove();
    throw error;
  }
  return Cgroup.of([memory, pids, ...cpu], join(memory, "memory.oom_control"));
}

/** Makes a group of the CPU controller. Returns its folder, or nothing where the machine has none. */
function createCpuV1(cpu: string): string[] {
  try {
    mkdirSync(cpu);
    writeFileSync(join(cpu, "cpu.shares"), String(CPU_SHARES));
    writeFileSync(join(cpu, "cpu.cfs_period_us"), String(CPU_PERIOD_US));
    writeFileSync(join(cpu, "cpu.cfs_quota_us"), String(cpuQuotaUs()));
    return [cpu];
  } catch {
    Cgroup.of([cpu], "").remove();
    return [];
  }
}

/** Returns the CPU time that a driver may have in each period, us. */
function cpuQuotaUs(): number {
  return Math.ceil(Math.max(1, availableParallelism() * CPU_SHARE_MAX) * CPU_PERIOD_US);
}

/**
 * Makes a group beside the agent's own. systemd permits that with Delegate= and DelegateSubgroup=, a container
 * runtime to root.
 */
function createV2(
  name: string,
  { memoryBytesMax, processesMax }: Limits,
  { root, ownGroupFile }: CgroupSystem,
): Cgroup {
  const own = /^0::(.*)$/m.exec(readFileSync(ownGroupFile, "utf8"))?.[1] ?? "/";
  // Above the root there is none: a process in it can't have a group beside its own.
  if (own === "/") throw new Error("the agent is in the root of the control groups");
  const parent = join(root, own, "..");
  const folder = join(parent, name);
  try {
    // A group has to pass its controllers on to the groups below.
    writeFileSync(join(parent, "cgroup.subtree_control"), "+memory +pids");
    mkdirSync(folder);
    writeFileSync(join(folder, "memory.max"), String(memoryBytesMax));
    writeFileSync(join(folder, "pids.max"), String(processesMax));
    if (existsSync(join(folder, "memory.swap.max"))) writeFileSync(join(folder, "memory.swap.max"), "0");
    limitCpuV2(parent, folder);
  } catch (error) {
    Cgroup.of([folder], "").remove();
    throw error;
  }
  return Cgroup.of([folder], join(folder, "memory.events"));
}

/** Limits the CPU time of a group where its parent has that controller to pass on. */
function limitCpuV2(parent: string, folder: string): void {
  try {
    writeFileSync(join(parent, "cgroup.subtree_control"), "+cpu");
    writeFileSync(join(folder, "cpu.weight"), String(Math.round((100 * CPU_SHARES) / 1024)));
    writeFileSync(join(folder, "cpu.max"), `${cpuQuotaUs()} ${CPU_PERIOD_US}`);
  } catch {
    // the priority of the processes has to do
  }
}
