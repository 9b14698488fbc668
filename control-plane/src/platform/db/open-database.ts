/** Opens the database that the settings name: the operator's own, or the embedded one in the data folder. */
import { join, resolve } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { holdDataFolder } from "./data-folder.ts";
import { DatabaseServers } from "./database-servers.ts";
import { startEmbeddedPostgres } from "./embedded.ts";
import { EMBEDDED_DATABASE } from "./embedded-cluster.ts";
import { clusterConnection, isPostmasterOf, readPostmaster } from "./postmaster.ts";

/** A database that can be connected to. */
export interface OpenDatabase {
  /** The servers, for `openPool` and `migrate`. */
  connection: DatabaseServers;
  /** Ends the server, if one was started. */
  close(): Promise<void>;
}

/**
 * Opens the database for the service. With the embedded database this process alone holds the data folder.
 * @throws DataFolderInUseError, EmbeddedPostgresError
 */
export async function openServiceDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  if (config.databaseUrl)
    return { connection: DatabaseServers.of(config.databaseUrl, log), close: async () => undefined };
  const hold = holdDataFolder(config.dataDir);
  try {
    const embedded = await startEmbeddedPostgres({ folder: config.dataDir, log });
    return {
      connection: DatabaseServers.of(embedded.connection),
      close: async () => {
        await embedded.stop();
        hold.release();
      },
    };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/**
 * Opens the database for an operator's command, also while the service runs: then on the server that the service
 * started.
 */
export async function openDatabaseBeside(config: Config, log: Logger): Promise<OpenDatabase> {
  const cluster = join(resolve(config.dataDir), "postgres");
  const running = config.databaseUrl ? undefined : readPostmaster(cluster);
  if (!running || !isPostmasterOf(running.pid, cluster)) return openServiceDatabase(config, log);
  return {
    connection: DatabaseServers.of(clusterConnection(running.socketFolder, EMBEDDED_DATABASE)),
    close: async () => undefined,
  };
}
