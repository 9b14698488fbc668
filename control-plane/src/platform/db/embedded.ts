/**
 * Makes, starts and supervises a private PostgreSQL server, for machines without one.
 *
 * Its cluster lies in `<folder>/postgres`, its socket in a folder closed to others; there is no TCP port. The server runs
 * in a process session of its own, so that Ctrl+C reaches only the control plane, which ends the server last. A control plane
 * that was killed leaves its server running: the next control plane takes it over. A server that dies is started again.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@svc/contract";
import type pg from "pg";
import type { Logger } from "pino";
import { monotonicMs } from "../clock.ts";
import { isProcessAlive } from "../is-process-alive.ts";
import { commandOf, EmbeddedPostgresError, findLauncher, type Launcher } from "./postgres-binaries.ts";
import {
  CLUSTER_USER,
  clusterConnection,
  isPostmasterOf,
  queryOnce,
  readPostmaster,
  socketFolderFor,
  stopPostmaster,
  waitUntilAnswering,
} from "./postmaster.ts";

export interface EmbeddedPostgres {
  /** Connection settings of the service's database; they stay valid when the server is started again. */
  connection: pg.ClientConfig;
  /** Process id of the server that runs now. */
  readonly pid: number;
  /** Ends the server and its supervision. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
}

export interface EmbeddedOptions {
  /** The data folder; made when missing. */
  folder: string;
  log: Logger;
  /** Further arguments for the server. */
  serverArguments?: readonly string[];
  /** Further arguments for initdb. */
  initdbArguments?: readonly string[];
}

/**
 * Settings for the stream of results: memory for the pages of today's partition, and checkpoints far apart, since each
 * page's first change after a checkpoint is logged whole. Durability stays PostgreSQL's default.
 */
const INGEST_SETTINGS = [
  ["shared_buffers", "256MB"],
  ["max_wal_size", "2GB"],
  ["checkpoint_timeout", "15min"],
  ["wal_compression", "on"],
] as const;
/** Name of the database inside the cluster. */
export const EMBEDDED_DATABASE = "svc";
const RESTART_BACKOFF_MS = { first: 100, largest: 5_000 };
/** A server that has lived this long begins its backoff anew. */
const STABLE_AFTER_MS = MINUTE_MS;
/** Interval at which a server that is not our child is checked. */
const WATCH_MS = 500;
const LOG_BYTES_MAX = 10 * 1024 * 1024;
/** Failed attempts after which the first start gives up; a dying predecessor's shared memory may fail a few. */
const FIRST_START_ATTEMPTS = 8;

interface Server {
  pid: number;
  hasEnded(): boolean;
  ended: Promise<void>;
}

/**
 * Makes the cluster when there is none, takes over or starts its server, and keeps the server running until `stop`. Returns
 * once the server answers. The caller holds the data folder (see holdDataFolder).
 * @throws EmbeddedPostgresError when it can't run on this machine
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  // One name for the folder, however it was reached: the socket's path follows from it.
  const folder = realpathSync(options.folder);
  const { log } = options;
  const launcher = findLauncher(folder);
  const cluster = join(folder, "postgres");
  const logFile = join(folder, "postgres.log");
  initializeCluster(launcher, cluster, options.initdbArguments ?? []);
  const socketFolder = socketFolderFor(folder, launcher);
  const admin = clusterConnection(socketFolder, "postgres");

  let isStopping = false;
  let server = (await takeOver()) ?? (await startFirst());
  await createDatabase(admin);
  const supervision = supervise();

  return {
    connection: clusterConnection(socketFolder, EMBEDDED_DATABASE),
    get pid() {
      return server.pid;
    },
    stop: async (mode = "fast") => {
      isStopping = true;
      await stopPostmaster(server.pid, mode);
      await supervision;
    },
  };

  /** Returns the live server that an earlier control plane left, or undefined after cleaning up a stale one. */
  async function takeOver(): Promise<Server | undefined> {
    const found = readPostmaster(cluster);
    if (!found) return undefined;
    if (!isPostmasterOf(found.pid, cluster)) {
      // Its process id may belong to another process by now, which would make PostgreSQL refuse to start.
      rmSync(join(cluster, "postmaster.pid"), { force: true });
      return undefined;
    }
    if (found.socketFolder !== socketFolder) {
      await stopPostmaster(found.pid);
      return undefined;
    }
    const adopted = adopt(found.pid);
    if (!(await waitUntilAnswering(admin, adopted.hasEnded))) return undefined;
    log.info({ pid: adopted.pid }, "took over the running embedded PostgreSQL");
    return adopted;
  }

  async function startFirst(): Promise<Server> {
    for (let attempt = 1; attempt <= FIRST_START_ATTEMPTS; attempt++) {
      const started = start();
      if (await waitUntilAnswering(admin, started.hasEnded)) return started;
      await sleep(backoffMs(attempt));
    }
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not start; ${logFile} says why. Alternatively set DATABASE_URL`,
    );
  }

  function start(): Server {
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
      ...(options.serverArguments ?? []),
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
    return ownChild(child);
  }

  async function supervise(): Promise<void> {
    let attempt = 0;
    let upSinceMs = monotonicMs();
    while (true) {
      await server.ended;
      if (isStopping) return;
      attempt = monotonicMs() - upSinceMs > STABLE_AFTER_MS ? 1 : attempt + 1;
      log.error({ pid: server.pid, attempt }, "the embedded PostgreSQL ended; starting it again");
      await sleep(backoffMs(attempt));
      if (isStopping) return;
      server = start();
      upSinceMs = monotonicMs();
      const current = server;
      if (await waitUntilAnswering(admin, () => current.hasEnded() || isStopping))
        log.info({ pid: server.pid }, "the embedded PostgreSQL answers again");
    }
  }
}

function initializeCluster(launcher: Launcher, cluster: string, more: readonly string[]): void {
  if (existsSync(join(cluster, "PG_VERSION"))) return;
  // Made under another name: a start that was killed half way leaves nothing that looks like a cluster.
  const unfinished = `${cluster}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  if (launcher.uid !== undefined && launcher.gid !== undefined)
    chownSync(unfinished, launcher.uid, launcher.gid);
  const { file, args } = commandOf(launcher, "initdb", [
    "-D",
    unfinished,
    "-U",
    CLUSTER_USER,
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    ...more,
  ]);
  const run = spawnSync(file, args, {
    encoding: "utf8",
    uid: launcher.uid,
    gid: launcher.gid,
    env: cleanEnvironment(),
  });
  if (run.status !== 0)
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL can't make its cluster (${(run.error?.message ?? run.stderr).trim().split("\n").at(-1)}); ` +
        "set DATABASE_URL to a PostgreSQL server instead",
    );
  renameSync(unfinished, cluster);
}

async function createDatabase(admin: pg.ClientConfig): Promise<void> {
  const found = await queryOnce(admin, `SELECT 1 FROM pg_database WHERE datname = '${EMBEDDED_DATABASE}'`);
  if (found.rowCount === 0) await queryOnce(admin, `CREATE DATABASE ${EMBEDDED_DATABASE}`);
}

function ownChild(child: ChildProcess): Server {
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

/** Returns a server that an earlier control plane started. The system reports its end to nobody, so it is polled. */
function adopt(pid: number): Server {
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

function backoffMs(attempt: number): number {
  return Math.min(RESTART_BACKOFF_MS.largest, RESTART_BACKOFF_MS.first * 2 ** (attempt - 1));
}

function setting(name: string, value: string): string[] {
  return ["-c", `${name}=${value}`];
}

/** Returns the environment that the server needs: no PG* variable of the user may change what it does. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LANG: "C", LC_ALL: "C" };
}
