/** What a command works with: the settings, a log on stderr, and the database for as long as it takes. */
import type { Knex } from "knex";
import { destination, type Logger, pino } from "pino";
import { type Config, parseConfig } from "../../platform/config.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";
import { openPool } from "../../platform/db/pool.ts";

/** @throws ConfigError */
export function readConfig(): Config {
  return parseConfig(process.env);
}

/** JSON lines on stderr: stdout is for people and for what a command answers. Synchronous, so that none is lost at the end. */
export function createLog(level: string): Logger {
  return pino({ level, base: undefined }, destination({ dest: 2, sync: true }));
}

/** Runs `work` on the service's database, migrated; also while the service runs. */
export async function withDatabase<T>(work: (knex: Knex, config: Config) => Promise<T>): Promise<T> {
  const config = readConfig();
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

/** Columns as wide as their widest cell, two spaces between. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
