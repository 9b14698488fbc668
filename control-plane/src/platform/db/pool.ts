/** The pool of connections to PostgreSQL: knex for queries, with names in camelCase and values as the API shows them. */
import knexFactory, { type Knex } from "knex";
import objection from "objection";
import pg from "pg";
import type { Logger } from "pino";
import { DatabaseServers } from "./database-servers.ts";
import { isUsable } from "./guard-connection.ts";
import { endWhenSilent, type PgClient } from "./silence.ts";

const { knexSnakeCaseMappers } = objection;

/** Source of the connections of pools, which chooses the server. */
interface ConnectionSource {
  connect(settings: pg.ClientConfig): Promise<pg.Client>;
}

/** A postgres:// URL, pg's own settings (for a Unix socket), or a source that several pools share. */
export type DatabaseConnection = string | pg.ClientConfig | ConnectionSource;

/** The size and time limits of a pool. */
export interface PoolOptions {
  /** Most connections that are open at once. */
  poolMax: number;
  /** Receives connections that broke; without one, only the queries that fail show it. */
  log?: Logger;
  /** Time after which a server that owes an answer is given up, ms. */
  silenceMs?: number;
  /** True for a connection that may be used again; one that has ended never is. Default: all others are. */
  isCurrent?: (client: pg.Client) => boolean;
  /** Longest statement and longest rest within a transaction, ms; 0: no limit. Default {@link STATEMENT_TIMEOUT_MS}. */
  statementTimeoutMs?: number;
  /** Longest wait for a lock, ms. Default: only the statement's limit bounds it. */
  lockTimeoutMs?: number;
}

/** Longest that a statement may take; the rollups rely on a result being committed within it. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** A server that owes an answer for longer is not just slow with a statement but out of reach. */
const SILENCE_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** Opens a pool. Connections are made on demand: the first query meets a database that is down, not this call. */
export function openPool(connection: DatabaseConnection, options: PoolOptions): Knex {
  const {
    poolMax,
    log,
    silenceMs = SILENCE_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    lockTimeoutMs = 0,
    isCurrent = () => true,
  } = options;
  const source = isSource(connection) ? connection : DatabaseServers.of(connection, log);
  const settings = connectionSettings(statementTimeoutMs, lockTimeoutMs);
  const knex = knexFactory({
    client: "pg",
    // Connections are made by `source`; knex makes no pool without settings.
    connection: settings as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolMax,
      afterCreate: (client: PgClient, done: (error: Error | null, client: PgClient) => void) => {
        // Without a limit for statements, silence is no sign of a lost server.
        if (statementTimeoutMs > 0) endWhenSilent(client, silenceMs);
        done(null, client);
      },
      validate: (client: pg.Client) => isUsable(client) && isCurrent(client),
    },
    acquireConnectionTimeout: 10_000,
    // Error messages quote the statement with its placeholders, never with what users entrusted to us.
    compileSqlOnError: false,
    log: knexLog(log),
    ...knexSnakeCaseMappers(),
  });
  knex.client.acquireRawConnection = () => source.connect(settings);
  return knex;
}

function isSource(connection: DatabaseConnection): connection is ConnectionSource {
  return typeof connection === "object" && "connect" in connection;
}

function connectionSettings(timeoutMs: number, lockTimeoutMs: number): pg.ClientConfig {
  return {
    types: VALUE_TYPES,
    application_name: "svc-control-plane",
    statement_timeout: timeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
  };
}

const { INT8, TIMESTAMPTZ } = pg.types.builtins;

/**
 * Parsers of values that differ from pg's own: bigint as a number (ours are keys and Unix ms, all below 2^53), timestamptz
 * as ISO 8601 UTC with milliseconds, which is how the API shows instants.
 */
const VALUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format !== "binary") {
      if (oid === INT8) return Number;
      if (oid === TIMESTAMPTZ) return isoInstant;
    }
    return pg.types.getTypeParser(oid, format);
  },
};

function isoInstant(text: string): string {
  return new Date(text).toISOString();
}

/** knex would write to stdout. The query that waits for a broken connection reports it at its own level. */
function knexLog(log: Logger | undefined): Knex.Logger {
  const write = (message: unknown) =>
    log?.debug(
      { reason: message instanceof Error ? message.message : String(message) },
      "database connection",
    );
  return { warn: write, error: write, deprecate: write, debug: write };
}
