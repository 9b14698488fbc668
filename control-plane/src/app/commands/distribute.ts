/** `svc-control-plane distribute`: on Citus, spreads the tables that grow with runs over the workers. */

import { openLog } from "@svc/otel";
import { ConfigError, parseConfig } from "../../platform/config.ts";
import { distributeTables } from "../../platform/db/distribute.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";

/**
 * Distributes what is not distributed yet, with the rows that are there.
 * @returns which tables were distributed
 * @throws ConfigError without DATABASE_URL; DistributeError when the database is no coordinator or the service uses it
 */
export async function distributeCommand(): Promise<string> {
  const config = parseConfig(process.env);
  if (!config.databaseUrl)
    throw new ConfigError("DATABASE_URL is not set; it names the coordinator of Citus to distribute on");
  const database = await openDatabaseBeside(config, openLog({ level: "error" }));
  try {
    await migrate(database.connection);
    const tables = await distributeTables(database.connection);
    return tables.length === 0 ? "all tables are distributed already" : `distributed: ${tables.join(", ")}`;
  } finally {
    await database.close();
  }
}
