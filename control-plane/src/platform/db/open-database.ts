/** The database that the settings name: one of the operator's, or the embedded one in the data folder. */
import { join, resolve } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { holdDataFolder } from "./data-folder.ts";
import { EMBEDDED_DATABASE, startEmbeddedPostgres } from "./embedded.ts";
import type { DatabaseConnection } from "./pool.ts";
import { clusterConnection, isPostmasterOf, readPostmaster } from "./postmaster.ts";

export interface OpenDatabase {
  /** Connection settings for `openPool` and `migrate`. */
  connection: DatabaseConnection;
  /** Ends what was started for it. */
  close(): Promise<void>;
}

/**
 * For the service: with the embedded database this process alone holds the data folder.
 * @throws DataFolderInUseError, EmbeddedPostgresError
 */
export async function openServiceDatabase(config: Config, log: Logger): Promise<OpenDatabase> {
  if (config.databaseUrl) return { connection: config.databaseUrl, close: async () => undefined };
  const hold = holdDataFolder(config.dataDir);
  try {
    const embedded = await startEmbeddedPostgres({ folder: config.dataDir, log });
    return {
      connection: embedded.connection,
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

/** For an operator's command: also while the service runs, on the server that it has started. */
export async function openDatabaseBeside(config: Config, log: Logger): Promise<OpenDatabase> {
  const cluster = join(resolve(config.dataDir), "postgres");
  const running = config.databaseUrl ? undefined : readPostmaster(cluster);
  if (!running || !isPostmasterOf(running.pid, cluster)) return openServiceDatabase(config, log);
  return {
    connection: clusterConnection(running.socketFolder, EMBEDDED_DATABASE),
    close: async () => undefined,
  };
}
