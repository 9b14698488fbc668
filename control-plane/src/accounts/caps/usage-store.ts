/**
 * SQL of the usage of teams: how many records and bytes each of them stores. Triggers add a row with the difference to
 * `team_usage` for each statement that adds or removes records, so that writers never wait for each other there. The
 * usage of a team and kind is the sum of its rows.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** Records and bytes of one kind that a team stores. */
export interface Usage {
  kind: string;
  recordCount: number;
  byteCount: number;
  /** Records that the current transaction added, minus the records that it removed. */
  addedRecords: number;
  addedBytes: number;
  /** Number of rows of `team_usage` that were summed up. */
  rows: number;
}

/** True when the current transaction added records or bytes of any kind. */
export async function hasAddedUsage(trx: Knex, teamId: TeamId): Promise<boolean> {
  const [row] = await queryRows<{ hasAdded: boolean }>(
    trx,
    `SELECT EXISTS (SELECT FROM team_usage WHERE team_id = ? AND xid = pg_current_xact_id()
       AND (record_count > 0 OR byte_count > 0)) AS has_added`,
    [teamId],
  );
  return row?.hasAdded === true;
}

/** Makes other transactions of the team that add something wait until this one ends. */
export async function lockUsage(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, hashtext(?))", [ADVISORY_LOCK_CLASSES.teamUsage, teamId]);
}

/** Returns what the team stores, by kind. */
export function readUsage(trx: Knex, teamId: TeamId): Promise<Usage[]> {
  return queryRows(
    trx,
    `SELECT kind, sum(record_count)::bigint AS record_count, sum(byte_count)::bigint AS byte_count,
       coalesce(sum(record_count) FILTER (WHERE xid = pg_current_xact_id()), 0)::bigint AS added_records,
       coalesce(sum(byte_count) FILTER (WHERE xid = pg_current_xact_id()), 0)::bigint AS added_bytes,
       count(*) AS rows
     FROM team_usage WHERE team_id = ? GROUP BY kind`,
    [teamId],
  );
}

/** Adds up the committed rows of a kind into one. Call it under {@link lockUsage}. */
export async function foldUsage(trx: Knex, teamId: TeamId, kind: string): Promise<void> {
  await trx.raw(
    `WITH folded AS (
       DELETE FROM team_usage WHERE team_id = :teamId AND kind = :kind AND xid <> pg_current_xact_id()
       RETURNING record_count, byte_count)
     INSERT INTO team_usage (team_id, kind, record_count, byte_count, xid)
     SELECT :teamId, :kind, sum(record_count), sum(byte_count), '0' FROM folded HAVING count(*) > 0`,
    { teamId, kind },
  );
}
