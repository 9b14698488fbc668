/** SQL of the doctor. */
import type { LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** Facts that a database server gives about itself. */
export interface ServerFacts {
  /** Such as "16.2 (Debian ...)". */
  version: string;
  /** Such as 160002. */
  versionNumber: number;
  isStandby: boolean;
  isReadOnly: boolean;
  /** Connections that ordinary accounts may open. */
  connectionsMax: number;
  connections: number;
  /** Locks that all transactions together may hold, at least. */
  locksMax: number;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  autovacuum: string;
  /** The server's clock, Unix ms. */
  nowMs: number;
  /** The oldest transaction that is open, and the process that holds it; null: there is none. */
  oldestTransactionPid: number | null;
  oldestTransactionSeconds: number | null;
}

/** Asks the server for its version, role, settings, connections and clock. */
export async function readServerFacts(db: Knex): Promise<ServerFacts> {
  const [row] = await queryRows<ServerFacts>(
    db,
    `SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::integer AS version_number,
       pg_is_in_recovery() AS is_standby,
       current_setting('transaction_read_only') = 'on' AS is_read_only,
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer AS connections_max,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS connections,
       current_setting('max_locks_per_transaction')::integer
         * (current_setting('max_connections')::integer + current_setting('max_prepared_transactions')::integer) AS locks_max,
       current_setting('fsync') AS fsync,
       current_setting('full_page_writes') AS full_page_writes,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('autovacuum') AS autovacuum,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms,
       oldest.pid AS oldest_transaction_pid,
       extract(epoch FROM clock_timestamp() - oldest.xact_start)::float8 AS oldest_transaction_seconds
     FROM (SELECT 1) one LEFT JOIN LATERAL (
       SELECT pid, xact_start FROM pg_stat_activity
       WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       ORDER BY xact_start LIMIT 1) oldest ON true`,
  );
  return row as ServerFacts;
}

/** Sends the smallest statement there is. */
export async function askNothing(db: Knex): Promise<void> {
  await db.raw("SELECT 1");
}

/** Bytes of the database, and of the partitions of one day. */
export interface DatabaseBytes {
  bytes: number;
  dayBytes: number;
}

/**
 * Measures the database.
 * @param dayPartitions name patterns (LIKE) of the partitions that hold one day
 */
export async function readDatabaseBytes(db: Knex, dayPartitions: readonly string[]): Promise<DatabaseBytes> {
  const [row] = await queryRows<DatabaseBytes>(
    db,
    `SELECT pg_database_size(current_database()) AS bytes,
       coalesce((SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
                 WHERE c.relkind = 'r' AND c.relname LIKE ANY(?)), 0)::bigint AS day_bytes`,
    [[...dayPartitions]],
  );
  return row ?? { bytes: 0, dayBytes: 0 };
}

/** Checks of one type that run at a location. */
export interface LocationDemand {
  locationKey: number;
  locationId: LocationId;
  isHosted: boolean;
  type: string;
  checks: number;
}

/** Counts the checks that are to run, by location and type. */
export function readDemand(db: Knex): Promise<LocationDemand[]> {
  return queryRows(
    db,
    `SELECT l.key AS location_key, l.id AS location_id, l.team_id IS NULL AS is_hosted, c.type, count(*)::integer AS checks
     FROM (SELECT c.type, unnest(c.location_ids) AS location_id FROM checks c
           WHERE c.enabled AND NOT c.paused
             AND NOT EXISTS (SELECT FROM team_deletions d WHERE d.team_id = c.team_id)) c
     JOIN locations l ON l.id = c.location_id
     WHERE l.deleted_at IS NULL AND l.status <> 'retired'
     GROUP BY l.key, l.id, l.team_id, c.type ORDER BY l.key, c.type`,
  );
}

/** An agent that is connected. */
export interface ConnectedRunner {
  hostname: string;
  version: string;
  capabilities: string[];
  locationKeys: number[];
  draining: boolean;
  stats: { droppedResults?: number; latenessP99Ms?: number; loopBusyBasisPoints?: number; backlog?: number };
}

/** Lists the agents that are connected, by the database's clock. */
export function listConnectedRunners(db: Knex): Promise<ConnectedRunner[]> {
  return queryRows(
    db,
    `SELECT hostname, version, capabilities, location_keys, draining, stats FROM runners
     WHERE lease_until > clock_timestamp() ORDER BY key`,
  );
}

/** Counts the channels of these types. */
export async function countChannels(db: Knex, types: readonly string[]): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    "SELECT count(*)::integer AS count FROM notification_channels WHERE type = ANY(?)",
    [[...types]],
  );
  return row?.count ?? 0;
}
