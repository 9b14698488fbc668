/**
 * Supervises a private PostgreSQL server, for machines without one.
 *
 * Its cluster lies in `<folder>/postgres`, its socket in a folder closed to others; there is no TCP port. The server
 * runs in a process session of its own, so that Ctrl+C reaches only the control plane, which ends the server last. A
 * control plane that was killed leaves its server running: the next control plane takes it over. A server that dies is
 * started again.
 */
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs, MINUTE_MS } from "@svc/contract";
import type pg from "pg";
import type { Logger } from "pino";
import { monotonicMs } from "../clock.ts";
import { createDatabase, EMBEDDED_DATABASE, initializeCluster } from "./embedded-cluster.ts";
import { adoptServer, type EmbeddedServer, type ServerCommand, startServer } from "./embedded-server.ts";
import { EmbeddedPostgresError, findLauncher } from "./postgres-binaries.ts";
import {
  clusterConnection,
  isPostmasterOf,
  readPostmaster,
  socketFolderFor,
  stopPostmaster,
  waitUntilAnswering,
} from "./postmaster.ts";

/** A PostgreSQL server that this process supervises. */
export interface EmbeddedPostgres {
  /** Connection settings of the service's database; they stay valid when the server is started again. */
  connection: pg.ClientConfig;
  /** Process id of the server that runs now. */
  readonly pid: number;
  /** Ends the server and its supervision. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
}

/** The folder of the server's data, and arguments beyond our own. */
export interface EmbeddedOptions {
  /** The data folder; made when missing. */
  folder: string;
  log: Logger;
  /** Further arguments for the server. */
  serverArguments?: readonly string[];
  /** Further arguments for initdb. */
  initdbArguments?: readonly string[];
}

const RESTARTS = { firstMs: 100, largestMs: 5_000 };
/** Lifetime after which a server counts as stable: its backoff starts again from the shortest delay. */
const STABLE_AFTER_MS = MINUTE_MS;
/** Failed attempts after which the first start gives up; a dying predecessor's shared memory may fail a few. */
const FIRST_START_ATTEMPTS = 8;

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
  const command: ServerCommand = {
    launcher,
    cluster,
    socketFolder,
    logFile,
    serverArguments: options.serverArguments ?? [],
  };
  const admin = clusterConnection(socketFolder, "postgres");

  let isStopping = false;
  let server = (await adoptRunning()) ?? (await startFirst());
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
  async function adoptRunning(): Promise<EmbeddedServer | undefined> {
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
    const adopted = adoptServer(found.pid);
    if (!(await waitUntilAnswering(admin, adopted.hasEnded))) return undefined;
    log.info({ pid: adopted.pid }, "took over the running embedded PostgreSQL");
    return adopted;
  }

  async function startFirst(): Promise<EmbeddedServer> {
    for (let attempt = 1; attempt <= FIRST_START_ATTEMPTS; attempt++) {
      const started = startServer(command);
      if (await waitUntilAnswering(admin, started.hasEnded)) return started;
      await sleep(backoffMs(attempt, RESTARTS));
    }
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL does not start; ${logFile} says why. Alternatively set DATABASE_URL`,
    );
  }

  async function supervise(): Promise<void> {
    let attempt = 0;
    let upSinceMs = monotonicMs();
    while (true) {
      await server.ended;
      if (isStopping) return;
      attempt = monotonicMs() - upSinceMs > STABLE_AFTER_MS ? 1 : attempt + 1;
      log.error({ pid: server.pid, attempt }, "the embedded PostgreSQL ended; starting it again");
      await sleep(backoffMs(attempt, RESTARTS));
      if (isStopping) return;
      server = startServer(command);
      upSinceMs = monotonicMs();
      const current = server;
      if (await waitUntilAnswering(admin, () => current.hasEnded() || isStopping))
        log.info({ pid: server.pid }, "the embedded PostgreSQL answers again");
    }
  }
}
