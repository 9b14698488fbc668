/** `svc-control-plane migrate`: brings the schema up to date, or says what it would do. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openLog } from "@svc/otel";
import { type Config, parseConfig } from "../../platform/config.ts";
import { CLUSTER_FOLDER } from "../../platform/db/backup/backup-files.ts";
import { listPendingMigrations, migrate, migrationText, waitingText } from "../../platform/db/migrate.ts";
import { allMigrations } from "../../platform/db/migrations/registry.ts";
import { openDatabaseBeside } from "../../platform/db/open-database.ts";

const UP_TO_DATE = "the database is up to date";

/** Flags of `migrate`. */
export interface MigrateCommandOptions {
  /** True: say what would run, and run nothing. */
  plan?: boolean;
}

/**
 * Runs the migrations that the database lacks, also while the service runs; tells the progress on stderr.
 * @returns what was done, or with `plan` what would be
 * @throws ConfigError when a setting is bad; MigrationLockError when a table stays locked
 */
export async function migrateCommand({ plan = false }: MigrateCommandOptions): Promise<string> {
  const config = parseConfig(process.env);
  if (plan && !hasDatabase(config)) return planText(allMigrations());
  const database = await openDatabaseBeside(config, openLog({ level: "error" }));
  try {
    if (plan) return planText(await listPendingMigrations(database.connection));
    await migrate(database.connection, {
      onProgress: (progress) => process.stderr.write(`${migrationText(progress)}\n`),
      onWaiting: (lockHolders) => process.stderr.write(`${waitingText(lockHolders)}\n`),
    });
    return UP_TO_DATE;
  } finally {
    await database.close();
  }
}

/** False where a start would make the embedded database. */
function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  return Boolean(databaseUrl) || existsSync(join(resolve(dataDir), CLUSTER_FOLDER, "PG_VERSION"));
}

function planText(names: readonly string[]): string {
  if (names.length === 0) return UP_TO_DATE;
  const count = names.length === 1 ? "1 migration" : `${names.length} migrations`;
  const isNew = names.length === allMigrations().length;
  const how = isNew
    ? "all in one transaction, since the database is new"
    : "each in a transaction of its own";
  return [`${count} would run, ${how}:`, ...names.map((name) => `  ${name}`)].join("\n");
}
