/** The state of one server as the choice among several goes by it. */
import type pg from "pg";

/** Identity and role of a server, as it reports them. */
export interface ServerState {
  /** Identifier of the database cluster: a standby has that of its primary, and no other server has. */
  systemId: string;
  isStandby: boolean;
  /** True when it refuses writes, as every standby does. */
  isReadOnly: boolean;
  /** Counts the promotions that led to this server; null on a standby. */
  timeline: number | null;
}

/** `pg_walfile_name` begins with the timeline in eight hexadecimal digits; a standby would refuse the question. */
const STATE_SQL = `
  SELECT (SELECT system_identifier::text FROM pg_control_system()) AS "systemId",
    pg_is_in_recovery() AS "isStandby",
    current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    CASE WHEN NOT pg_is_in_recovery()
      THEN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END AS timeline`;

/** Asks a server for its state. */
export async function askServerState(client: pg.Client, timeoutMs: number): Promise<ServerState> {
  const { rows } = await client.query({ text: STATE_SQL, query_timeout: timeoutMs } as pg.QueryConfig);
  return rows[0] as ServerState;
}
