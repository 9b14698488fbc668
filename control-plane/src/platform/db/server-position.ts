/** Which database a server has, and how far it is in the write-ahead log. */
import type pg from "pg";
import type { TargetSessionAttrs } from "./database-url.ts";

/** A server's database and position. */
export interface ServerPosition {
  /** Identifier of the database cluster. */
  systemId: string;
  /** Number of the database within its cluster. */
  databaseId: string;
  isStandby: boolean;
  /** Counts the promotions that led to this server; null on a standby. */
  timeline: number | null;
  /** Position in the write-ahead log, bytes: what a primary has made durable, what a standby has replayed. */
  position: number;
}

const POSITION_SQL = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
    (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS "databaseId",
    pg_is_in_recovery() AS "isStandby",
    CASE WHEN NOT pg_is_in_recovery()
      THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline,
    (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END
      - '0/0'::pg_lsn)::float8 AS position`;

/** Asks a server for its database and position. */
export async function askPosition(client: pg.Client, timeoutMs: number): Promise<ServerPosition> {
  const { rows } = await client.query({ text: POSITION_SQL, query_timeout: timeoutMs } as pg.QueryConfig);
  return rows[0] as ServerPosition;
}

/** Returns why a server is no copy of the primary that may be read from; undefined: it is one. Pure. */
export function positionProblem(
  server: ServerPosition,
  primary: ServerPosition,
  target: TargetSessionAttrs | undefined,
): string | undefined {
  if (server.systemId !== primary.systemId)
    return `is another database cluster (system identifier ${server.systemId}, and the primary's is ${primary.systemId})`;
  if (server.databaseId !== primary.databaseId) return "is another database of the primary's cluster";
  if (server.isStandby) return undefined;
  if (target === "standby") return "is no standby";
  // A server that takes writes and is not the primary has rows of its own.
  return server.timeline === primary.timeline
    ? undefined
    : `is a primary of the past (timeline ${server.timeline})`;
}
