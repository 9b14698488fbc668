/** One postmaster process: finds it, asks whether it answers, ends it. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { monotonicMs } from "../clock.ts";
import { isProcessAlive } from "../is-process-alive.ts";

/** The cluster's superuser; the socket folder is closed to other accounts, so there is no password. */
export const CLUSTER_USER = "svc";

/** Longest Unix socket path: sun_path has 108 bytes with the closing zero on Linux, 104 on macOS. */
const SOCKET_PATH_BYTES_MAX = process.platform === "darwin" ? 103 : 107;
const SOCKET_FILE = ".s.PGSQL.5432";
const POLL_MS = 50;
const STOP_PATIENCE_MS = 20_000;

/**
 * Returns the folder of the server's socket, made when missing: inside `folder`, or a short one under the system's temp
 * folder when the path would be too long.
 * @throws Error when somebody else owns the folder or may read it
 */
export function socketFolderFor(folder: string, owner: { uid?: number; gid?: number }): string {
  const inside = join(folder, "postgres-socket");
  const isShort = Buffer.byteLength(join(inside, SOCKET_FILE)) <= SOCKET_PATH_BYTES_MAX;
  const name = `svc-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;
  const socketFolder = isShort ? inside : join(tmpdir(), name);
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 });
  const found = lstatSync(socketFolder);
  const allowedOwners = [process.getuid?.(), owner.uid];
  // In a folder that everyone may write to, someone else could have made it first.
  if (!found.isDirectory() || !allowedOwners.includes(found.uid) || (found.mode & 0o077) !== 0)
    throw new Error(`${socketFolder} exists and is not a folder of this account closed to others; remove it`);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(socketFolder, owner.uid, owner.gid);
  return socketFolder;
}

/** Returns the connection settings of a database of the cluster, by its socket. */
export function clusterConnection(socketFolder: string, database: string): pg.ClientConfig {
  return { host: socketFolder, port: 5432, user: CLUSTER_USER, database, ssl: false };
}

/** Reads postmaster.pid: the process that serves, or served, this cluster. Undefined without the file. */
export function readPostmaster(cluster: string): { pid: number; socketFolder: string } | undefined {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number.parseInt(lines[0] ?? "", 10), socketFolder: lines[4]?.trim() ?? "" };
  } catch {
    return undefined;
  }
}

/**
 * True when process `pid` is the postmaster of this cluster and not a newcomer with the process id of a dead one. A second
 * server on a cluster would destroy it, so a process that can't be identified counts as the postmaster.
 */
export function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isProcessAlive(pid)) return false;
  try {
    // A postmaster's working directory is its cluster.
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
  } catch {
    // Another account's process: its command line can be read nevertheless.
  }
  return commandLineOf(pid).includes("postgres");
}

function commandLineOf(pid: number): string {
  try {
    return process.platform === "linux"
      ? readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      : execFileSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  } catch {
    return "";
  }
}

/**
 * Waits until the server takes connections: through its crash recovery, however long that is, as long as it lives.
 * @returns false when `hasEnded()` became true first
 */
export async function waitUntilAnswering(
  connection: pg.ClientConfig,
  hasEnded: () => boolean,
): Promise<boolean> {
  while (!hasEnded()) {
    if (await answers(connection)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

/** Runs one statement on a connection of its own. */
export async function queryOnce(connection: pg.ClientConfig, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Ends a postmaster: fast (sessions are cut, nothing is lost), and by force when that takes longer than 20 s. */
export async function stopPostmaster(pid: number, mode: "fast" | "immediate" = "fast"): Promise<void> {
  signal(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
  for (const next of ["SIGQUIT", "SIGKILL"] as const) {
    const deadline = monotonicMs() + STOP_PATIENCE_MS;
    while (isProcessAlive(pid) && monotonicMs() < deadline) await sleep(POLL_MS);
    if (!isProcessAlive(pid)) return;
    signal(pid, next);
  }
}

async function answers(connection: pg.ClientConfig): Promise<boolean> {
  try {
    await queryOnce(connection, "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
