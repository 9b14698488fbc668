import { openLog } from "@svc/otel";
import { parseConfig } from "../../platform/config.ts";
import { learnEngine } from "../../platform/db/engine.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";
import { openPool } from "../../platform/db/pool.ts";
import type { Services } from "../../platform/services.ts";
import { createServices } from "../create-services.ts";

/**
 * Runs a command's work on the service's database, migrated; also while the service runs.
 * @throws ConfigError when a setting is bad
 */
export async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  const config = parseConfig(process.env);
  const log = openLog({ level: "error" });
  const database = await openDatabaseBeside(config, log);
  const knex = openPool(database.connection, { poolMax: 4 });
  try {
    await migrate(database.connection);
    await learnEngine(knex);
    return await work(createServices(config, { knex, log }));
  } finally {
    await knex.destroy();
    await database.close();
  }
}
