/** Starts the server process of the embedded PostgreSQL, or adopts one that an earlier control plane left. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, renameSync, statSync } from "node:fs";
import { isProcessAlive } from "../is-process-alive.ts";
import { cleanEnvironment, commandOf, type Launcher } from "./postgres-binaries.ts";

/** A server process, of this control plane or of an earlier one. */
export interface EmbeddedServer {
  pid: number;
  hasEnded(): boolean;
  ended: Promise<void>;
}

/** The program, arguments and surroundings that a server is started with. */
export interface ServerCommand {
  launcher: Launcher;
  /** Folder of the cluster. */
  cluster: string;
  socketFolder: string;
  logFile: string;
  /** Further arguments for the server. */
  serverArguments: readonly string[];
}

/**
 * Settings for the stream of results: memory for the pages of today's partition, and checkpoints far apart, since each
 * page's first change after a checkpoint is logged whole. Durability stays PostgreSQL's default. Each day of results is a few tables,
 * so that a statement about many days holds many locks.
 */
const INGEST_SETTINGS = [
  ["shared_buffers", "256MB"],
  ["max_wal_size", "2GB"],
  ["checkpoint_timeout", "15min"],
  ["wal_compression", "on"],
  ["max_locks_per_transaction", "512"],
] as const;
/** Interval at which a server that is not our child is checked. */
const WATCH_MS = 500;
/** Size from which the log file is set aside, under its name with `.1`, before a start. */
const LOG_BYTES_MAX = 10 * 1024 * 1024;

/** Starts a server in a process session of its own. */
export function startServer(command: ServerCommand): EmbeddedServer {
  const { launcher, cluster, socketFolder, logFile, serverArguments } = command;
  if (existsSync(logFile) && statSync(logFile).size > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.1`);
  const logFd = openSync(logFile, "a", 0o600);
  const { file, args } = commandOf(launcher, "postgres", [
    "-D",
    cluster,
    "-k",
    socketFolder,
    ...setting("listen_addresses", ""),
    ...setting("unix_socket_permissions", "0700"),
    ...setting("timezone", "UTC"),
    ...setting("log_timezone", "UTC"),
    ...setting("log_checkpoints", "off"),
    ...INGEST_SETTINGS.flatMap(([name, value]) => setting(name, value)),
    ...serverArguments,
  ]);
  const child = spawn(file, args, {
    detached: true,
    stdio: ["ignore", logFd, logFd],
    uid: launcher.uid,
    gid: launcher.gid,
    env: cleanEnvironment(),
  });
  closeSync(logFd);
  child.unref();
  return serverOf(child);
}

/** Returns a server that an earlier control plane started. The system reports its end to nobody, so it is polled. */
export function adoptServer(pid: number): EmbeddedServer {
  const ended = new Promise<void>((resolveEnded) => {
    const timer = setInterval(() => {
      if (isProcessAlive(pid)) return;
      clearInterval(timer);
      resolveEnded();
    }, WATCH_MS);
    timer.unref();
  });
  return { pid, hasEnded: () => !isProcessAlive(pid), ended };
}

function serverOf(child: ChildProcess): EmbeddedServer {
  let hasEnded = false;
  const ended = new Promise<void>((resolveEnded) => {
    const end = () => {
      hasEnded = true;
      resolveEnded();
    };
    child.once("exit", end);
    child.once("error", end);
  });
  return { pid: child.pid ?? 0, hasEnded: () => hasEnded, ended };
}

function setting(name: string, value: string): string[] {
  return ["-c", `${name}=${value}`];
}
