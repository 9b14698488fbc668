/**
 * Other work that saturates the machine: processes that use all the CPU that they get. They end by themselves after a
 * while, so that none outlives a benchmark that was killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** Busy processes, and whose share of the CPU they have. */
export interface OtherWork {
  processes: number;
  /**
   * Sessions that the processes are divided among. A kernel that groups processes by session (autogroup), as others do
   * by service or container, gives each session an equal share of the CPU. 0: they belong to the session of this program
   * and its children, and each of them has as much as one of those.
   */
  sessions: number;
}

/** Busy processes under way. */
export interface CpuHogs {
  /** Ends all of them. */
  stop(): Promise<void>;
}

/** Starts as many busy loops as its first argument says, and waits. */
const LOOPS = "n=$1; while [ $n -gt 0 ]; do (while :; do :; done) & n=$((n-1)); done; wait";

/**
 * Starts busy processes, which raise the load average by their number.
 * @param withinMs time after which they end by themselves, ms
 */
export function startCpuHogs({ processes, sessions }: OtherWork, withinMs: number): CpuHogs {
  const groups = Math.max(1, sessions);
  const leaders = Array.from({ length: groups }, (_, index) => {
    const count = Math.floor((processes * (index + 1)) / groups) - Math.floor((processes * index) / groups);
    return startGroup(count, sessions > 0, withinMs);
  });
  return { stop: async () => void (await Promise.all(leaders.map(stopGroup))) };
}

/** Starts busy processes under a `timeout`, which has a process group and passes the signal that ends it on to the group. */
function startGroup(count: number, hasOwnSession: boolean, withinMs: number): ChildProcess {
  const seconds = String(Math.ceil(withinMs / 1_000));
  return spawn("timeout", ["-k", "1", seconds, "sh", "-c", LOOPS, "sh", String(count)], {
    stdio: "ignore",
    detached: hasOwnSession,
  });
}

async function stopGroup(leader: ChildProcess): Promise<void> {
  if (leader.exitCode !== null || leader.signalCode !== null) return;
  const ended = once(leader, "exit");
  leader.kill("SIGTERM");
  await ended;
}
