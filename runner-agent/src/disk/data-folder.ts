/**
 * The data folder: its lock, which lets one process at a time use it, and the runner's lasting identity. The lock is a
 * file that its owner keeps touching. On one machine and in one process namespace the lock is held while the owner
 * lives; elsewhere (a volume shared by containers) while the file is being touched. So nothing has to be cleaned up
 * after kill -9.
 */
import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const TOUCH_INTERVAL_MS = 2000;
/** A lock that was not touched for this long has no owner. Three touches long, so that a busy owner keeps it. */
const UNTOUCHED_MS = 6000;
/** Wait after taking the lock, in which a rival that saw the stale lock too may overwrite it. */
const SETTLE_MS = 100;

interface LockOwner {
  token: string;
  pid: number;
  /** Start of the process in clock ticks since boot, so that a reused pid is not mistaken for the owner. */
  startTicks: string;
  /** Boot, machine and process namespace in which the pid is valid. */
  scope: string;
}

/** A data folder that this process has locked. */
export interface DataFolder {
  path: string;
  /** Made at the first start and kept across restarts. */
  runnerUuid: string;
  /** Frees the lock for the next process. */
  release(): void;
}

/**
 * Says that the data folder is in use by another process, or can't be used at all. The message is a line for the
 * operator.
 */
export class DataFolderError extends Error {}

/**
 * Makes the folder when it is missing, takes its lock, and reads or makes the runner's identity.
 * @param wallMs the machine's clock, Unix ms; by it the lock is touched
 * @param onLost called when another process took the lock: this process must end
 * @throws DataFolderError when another process uses the folder, or it can't be used
 */
export async function openDataFolder(
  path: string,
  wallMs: () => number,
  onLost: () => void,
): Promise<DataFolder> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataFolderError(`can't make the data folder ${path}: ${(error as Error).message}`);
  }
  const lockPath = join(path, "lock");
  const owner: LockOwner = {
    token: randomUUID(),
    pid: process.pid,
    startTicks: startTicksOf(process.pid),
    scope: processScope(),
  };
  await acquireLock(path, lockPath, owner);
  const touch = setInterval(() => {
    if (readOwner(lockPath)?.token !== owner.token) {
      clearInterval(touch);
      onLost();
      return;
    }
    const now = new Date(wallMs());
    utimesSync(lockPath, now, now);
  }, TOUCH_INTERVAL_MS);
  touch.unref();
  return {
    path,
    runnerUuid: runnerUuidIn(path),
    release() {
      clearInterval(touch);
      if (readOwner(lockPath)?.token === owner.token) unlinkSync(lockPath);
    },
  };
}

async function acquireLock(path: string, lockPath: string, owner: LockOwner): Promise<void> {
  for (;;) {
    try {
      writeFileSync(lockPath, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
        throw new DataFolderError(`can't write to the data folder ${path}: ${(error as Error).message}`);
      }
    }
    const held = readOwner(lockPath);
    if (held !== undefined && (await isAlive(held, owner.scope, lockPath))) {
      throw new DataFolderError(
        `the data folder ${path} is in use by another svc-runner (process ${held.pid}); ` +
          "give each its own with SVC_RUNNER_DATA_DIR",
      );
    }
    try {
      unlinkSync(lockPath);
    } catch {
      // A rival removed the stale lock first.
    }
  }
  await sleep(SETTLE_MS);
  if (readOwner(lockPath)?.token !== owner.token) {
    throw new DataFolderError(
      `the data folder ${path} was taken by another svc-runner that started just now`,
    );
  }
}

async function isAlive(held: LockOwner, ownScope: string, lockPath: string): Promise<boolean> {
  if (held.scope === ownScope) {
    // The lock names this process's own pid: its owner is gone, since the number is in use again (first process of a
    // container).
    return held.pid !== process.pid && held.startTicks !== "" && startTicksOf(held.pid) === held.startTicks;
  }
  const before = modifiedAt(lockPath);
  await sleep(UNTOUCHED_MS);
  return modifiedAt(lockPath) !== before;
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function readOwner(lockPath: string): LockOwner | undefined {
  try {
    return JSON.parse(readFileSync(lockPath, "utf8")) as LockOwner;
  } catch {
    return undefined; // absent, or half written by a process that was killed
  }
}

/** Returns the scope in which this process's pid is valid: this boot of this machine, this namespace. */
function processScope(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Returns field 22 of /proc/<pid>/stat, or "running" where there is no /proc; empty when there is no such process. */
function startTicksOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "" : (fields[19] ?? "");
  } catch {
    if (process.platform === "linux") return "";
    return isRunning(pid) ? "running" : "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function runnerUuidIn(folder: string): string {
  const path = join(folder, "runner-id");
  try {
    const text = readFileSync(path, "utf8").trim();
    if (/^[0-9a-f-]{36}$/.test(text)) return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      throw new DataFolderError(`can't read ${path}: ${(error as Error).message}`);
    }
  }
  const made = randomUUID();
  const temporary = `${path}.new`;
  writeFileSync(temporary, `${made}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  return made;
}
