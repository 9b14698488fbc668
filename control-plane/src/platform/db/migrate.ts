/** Brings the database's schema up to date. */
import type { Knex } from "knex";
import type pg from "pg";
import { ADVISORY_LOCKS } from "./advisory-locks.ts";
import { migrationSource } from "./migrations/registry.ts";
import { type DatabaseConnection, openPool } from "./pool.ts";

const MIGRATIONS_CONFIG: Knex.MigratorConfig = {
  migrationSource,
  tableName: "svc_migrations",
  // An older replica may still run beside a newer one that has migrated already.
  disableMigrationsListValidation: true,
};

/**
 * Runs the migrations that the database lacks; replicas that start together wait for one another. Uses connections of its
 * own without any timeout: a migration of a large table, like waiting for another replica's, may take long.
 * @param config the migrations; a test may give others than the service's
 * @throws Error when the database is down or a migration fails
 */
export async function migrate(connection: DatabaseConnection, config = MIGRATIONS_CONFIG): Promise<void> {
  // One connection holds the lock, the other one migrates.
  const pool = openPool(connection, { poolMax: 2, statementTimeoutMs: 0 });
  try {
    const lockHolder = (await pool.client.acquireConnection()) as pg.Client;
    try {
      await lockHolder.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCKS.migrate]);
      // knex's own lock is a row that a killed replica leaves locked; ours went with its connection.
      await pool.migrate.forceFreeMigrationsLock(config);
      await pool.migrate.latest(config);
    } finally {
      await lockHolder.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
      await pool.client.releaseConnection(lockHolder);
    }
  } finally {
    await pool.destroy();
  }
}
