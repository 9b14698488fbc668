import type { Knex } from "knex";
import { type Config, parseConfig } from "../../platform/config.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";
import { openPool } from "../../platform/db/pool.ts";
import { createLog } from "./log.ts";

/**
 * Runs a command's work on the service's database, migrated; also while the service runs.
 * @throws ConfigError when a setting is bad
 */
export async function withDatabase<T>(work: (knex: Knex, config: Config) => Promise<T>): Promise<T> {
  const config = parseConfig(process.env);
  const database = await openDatabaseBeside(config, createLog("error"));
  const knex = openPool(database.connection, { poolMax: 4 });
  try {
    await migrate(database.connection);
    return await work(knex, config);
  } finally {
    await knex.destroy();
    await database.close();
  }
}
