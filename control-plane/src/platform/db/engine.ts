/** The connection to PostgreSQL: knex for queries, its migrations under a lock, LISTEN on a connection of its own. */

import knexFactory, { type Knex } from "knex";
import objection from "objection";
import pg from "pg";
import type { Logger } from "pino";
import { migrationSource } from "./migrations/registry.ts";
import { endWhenSilent, type PgClient } from "./silence.ts";

const { knexSnakeCaseMappers } = objection;

/** bigint (int8) as a number: ours are keys and Unix ms, all below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
/** timestamptz as ISO 8601 UTC with milliseconds, which is how the API shows it. */
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text).toISOString());

/** Advisory lock keys of what only one replica may do at a time. */
export const ADVISORY_LOCKS = {
  migrate: 7_301,
  bootstrap: 7_302,
  rollups: 7_303,
  retention: 7_304,
  purge: 7_305,
  partitions: 7_306,
  notificationPurge: 7_307,
  maintenance: 7_308,
  incidents: 7_309,
  artifacts: 7_310,
  alertLook: 7_321,
  alertMutes: 7_322,
  baselines: 7_323,
  sloWarnings: 7_331,
  certificateExpiry: 7_341,
  correlations: 7_342,
  telemetryPurge: 7_343,
} as const;

/** Longest that a statement may take; the rollups rely on a result being committed within it. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that owes an answer for longer has not just a slow statement: it is out of reach. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Opens a pool. Connections are made on demand, so a database that is down is met by the first query, not here.
 * @param connection a postgres:// URL or pg's connection object (for a Unix socket)
 * @param log told of connections that broke; without one that is left to the queries that fail of it
 * @param silenceMs after which a server that owes an answer is given up
 */
export function openKnex(
  connection: string | pg.ClientConfig,
  poolMax: number,
  log?: Logger,
  silenceMs = SILENCE_MS,
): Knex {
  const knex = knexFactory({
    client: "pg",
    connection: connectionSettings(connection, STATEMENT_TIMEOUT_MS),
    pool: {
      min: 0,
      max: poolMax,
      afterCreate: (client: PgClient, done: (error: Error | null, client: PgClient) => void) => {
        endWhenSilent(client, silenceMs);
        done(null, client);
      },
    },
    acquireConnectionTimeout: 10_000,
    // Error messages quote the statement with its placeholders, never with what users entrusted to us.
    compileSqlOnError: false,
    log: knexLog(log),
    ...knexSnakeCaseMappers(),
  });
  connections.set(knex, connection);
  return knex;
}

/** What each pool was opened with: knex hides the password from whoever copies its settings. */
const connections = new WeakMap<Knex, string | pg.ClientConfig>();

/** @param timeoutMs longest statement and longest rest within a transaction; 0: none */
function connectionSettings(
  connection: string | pg.ClientConfig,
  timeoutMs: number,
): Knex.PgConnectionConfig {
  const base = typeof connection === "string" ? { connectionString: connection } : connection;
  return {
    ...base,
    application_name: "svc-control-plane",
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  } as Knex.PgConnectionConfig;
}

/** knex would write to stdout. Whoever waits for a broken connection says so at their own level. */
function knexLog(log: Logger | undefined): Knex.Logger {
  const tell = (message: unknown) =>
    log?.debug(
      { reason: message instanceof Error ? message.message : String(message) },
      "database connection",
    );
  return { warn: tell, error: tell, deprecate: tell, debug: tell };
}

const MIGRATIONS_CONFIG: Knex.MigratorConfig = {
  migrationSource,
  tableName: "svc_migrations",
  // An older replica may still run beside a newer one that has migrated already.
  disableMigrationsListValidation: true,
};

/**
 * Brings the schema up to date; replicas that start together wait for one another. On connections of its own without
 * any timeout: a migration of a large table, like waiting for another replica's, may take long.
 * @param knex as made by openKnex   @param config what to migrate; the service's own unless a test says otherwise
 * @throws when the database is down
 */
export async function migrate(knex: Knex, config = MIGRATIONS_CONFIG): Promise<void> {
  const connection = connections.get(knex);
  if (connection === undefined) throw new Error("migrate needs a pool of openKnex");
  const patient = knexFactory({
    client: "pg",
    connection: connectionSettings(connection, 0),
    // The lock's, and the migrations'.
    pool: { min: 0, max: 2 },
    acquireConnectionTimeout: 10_000,
    compileSqlOnError: false,
    log: knexLog(undefined),
    ...knexSnakeCaseMappers(),
  });
  try {
    const lockHolder = (await patient.client.acquireConnection()) as pg.Client;
    try {
      await lockHolder.query("SELECT pg_advisory_lock($1)", [ADVISORY_LOCKS.migrate]);
      // knex's own lock is a row that a killed replica leaves locked; ours went with its connection.
      await patient.migrate.forceFreeMigrationsLock(config);
      await patient.migrate.latest(config);
    } finally {
      await lockHolder.query("SELECT pg_advisory_unlock_all()").catch(() => undefined);
      await patient.client.releaseConnection(lockHolder);
    }
  } finally {
    await patient.destroy();
  }
}
