/**
 * SQL of maintenance windows and their occurrences. Windows that were deleted stay as rows, because the history of their
 * checks is made from them; nobody sees them.
 */
import {
  type CheckId,
  isId,
  type MaintenanceMode,
  type MaintenanceOccurrence,
  type MaintenanceWindowId,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Cursor } from "../../platform/http/list-answer.ts";
import type { Occurrence } from "./recurrence.ts";

/** A window as its verbs read it. */
export interface WindowRow {
  key: number;
  id: MaintenanceWindowId;
  teamId: TeamId;
  name: string;
  mode: MaintenanceMode;
  isForAllChecks: boolean;
  /** Ids of the checks, oldest first; empty when the window is for all. */
  checkIds: CheckId[];
  startsAt: string;
  endsAt: string;
  timezone: string;
  recurrenceRule: string | null;
  isActive: boolean;
  nextStartsAt: string | null;
  createdAt: string;
  updatedAt: string | null;
}

const WINDOWS = `
  SELECT w.key, w.id, w.team_id, w.name, w.mode, w.is_for_all_checks, w.starts_at, w.ends_at, w.timezone,
    w.recurrence_rule, w.created_at, w.updated_at,
    ARRAY(SELECT c.id FROM maintenance_window_checks m JOIN checks c ON c.key = m.check_key
          WHERE m.window_key = w.key ORDER BY c.key) AS check_ids,
    EXISTS (SELECT FROM maintenance_occurrences o WHERE o.window_key = w.key
              AND o.starts_at <= :now AND o.ends_at > :now) AS is_active,
    (SELECT min(o.starts_at) FROM maintenance_occurrences o WHERE o.window_key = w.key
       AND o.starts_at > :now) AS next_starts_at
  FROM maintenance_windows w WHERE w.team_id = :teamId AND w.deleted_at IS NULL`;

/** Windows that are read at once: each may list 10,000 checks. */
const WINDOWS_AT_ONCE = 10;

/** Reads a few of the team's windows behind `after` (instant of creation and key), newest first. */
export function listWindowRows(
  db: Knex,
  teamId: TeamId,
  { after, nowMs }: { after: Cursor | undefined; nowMs: number },
): Promise<WindowRow[]> {
  const [createdAt, key] = after ?? [];
  const isBehind = after
    ? "AND (w.created_at, w.key) < (CAST(:createdAt AS timestamptz), CAST(:key AS bigint))"
    : "";
  return queryRows(
    db,
    `${WINDOWS} ${isBehind} ORDER BY w.created_at DESC, w.key DESC LIMIT ${WINDOWS_AT_ONCE}`,
    { teamId, now: new Date(nowMs), ...(after && { createdAt, key }) },
  );
}

/** Names a window of a team, and the instant as of which its state is wanted. */
export interface WindowKey {
  teamId: TeamId;
  id: MaintenanceWindowId;
  nowMs: number;
}

/** Returns a maintenance window of the team; undefined when the team has none with this id. */
export async function findWindowRow(
  db: Knex,
  { teamId, id, nowMs }: WindowKey,
): Promise<WindowRow | undefined> {
  if (!isId("maintenanceWindow", id)) return undefined;
  const [row] = await queryRows<WindowRow>(db, `${WINDOWS} AND w.id = :id`, {
    teamId,
    id,
    now: new Date(nowMs),
  });
  return row;
}

/** Returns a window, locked until the transaction ends: changes of one window happen one after another. */
export async function lockWindowRow(trx: Knex, window: WindowKey): Promise<WindowRow | undefined> {
  const { teamId, id } = window;
  if (!isId("maintenanceWindow", id)) return undefined;
  await trx("maintenanceWindows").where({ teamId, id }).forUpdate().first("key");
  return findWindowRow(trx, window);
}

/** The columns of a window that its verbs write. Instants: Unix ms. */
export interface WindowValues {
  name: string;
  mode: MaintenanceMode;
  isForAllChecks: boolean;
  startsAtMs: number;
  endsAtMs: number;
  timezone: string;
  recurrenceRule: string | null;
  expandedUntilMs: number;
}

function columnsOf({ startsAtMs, endsAtMs, expandedUntilMs, ...values }: WindowValues) {
  return {
    ...values,
    startsAt: new Date(startsAtMs),
    endsAt: new Date(endsAtMs),
    expandedUntil: new Date(expandedUntilMs),
  };
}

/** A new window with its ids. `createdAtMs`: Unix ms. */
export interface NewWindow extends WindowValues {
  id: MaintenanceWindowId;
  teamId: TeamId;
  createdAtMs: number;
}

/** Stores a window without its checks and occurrences, and returns its key. */
export async function insertWindow(
  trx: Knex,
  { id, teamId, createdAtMs, ...values }: NewWindow,
): Promise<number> {
  const [row] = await trx("maintenanceWindows")
    .insert({ id, teamId, createdAt: new Date(createdAtMs), ...columnsOf(values) })
    .returning("key");
  return row.key;
}

/** Updates the values of a maintenance window. */
export async function patchWindowRow(
  trx: Knex,
  key: number,
  { updatedAtMs, ...values }: WindowValues & { updatedAtMs: number },
): Promise<void> {
  await trx("maintenanceWindows")
    .where({ key })
    .update({ ...columnsOf(values), updatedAt: new Date(updatedAtMs) });
}

/** Ends the window for good; the time in which it held stays in history. */
export async function markWindowDeleted(trx: Knex, key: number, nowMs: number): Promise<void> {
  await replaceOccurrences(trx, { key, occurrences: [], nowMs });
  await trx("maintenanceWindows")
    .where({ key })
    .update({ deletedAt: new Date(nowMs) });
}

/** Returns the team's checks with these ids, kept from being deleted until the transaction ends. */
export function holdChecks(
  trx: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<{ key: number; id: CheckId }[]> {
  return queryRows(
    trx,
    "SELECT key, id FROM checks WHERE team_id = ? AND id = ANY(?) ORDER BY key FOR KEY SHARE",
    [teamId, [...ids]],
  );
}

/** Makes these the window's checks. */
export async function replaceChecks(trx: Knex, key: number, checkKeys: readonly number[]): Promise<void> {
  await trx("maintenanceWindowChecks").where({ windowKey: key }).delete();
  await trx.raw(
    `INSERT INTO maintenance_window_checks (window_key, team_id, check_key)
     SELECT key, team_id, unnest(?::bigint[]) FROM maintenance_windows WHERE key = ?`,
    [[...checkKeys], key],
  );
}

/**
 * Moves the window's past occurrences to a deleted copy of it, so that a new list of checks changes nothing about them. An
 * occurrence that holds now stays with the window, too.
 */
export async function keepHistory(trx: Knex, key: number, nowMs: number): Promise<void> {
  const [copy] = await queryRows<{ key: number }>(
    trx,
    `INSERT INTO maintenance_windows (id, team_id, name, mode, is_for_all_checks, starts_at, ends_at, timezone,
       recurrence_rule, expanded_until, created_at, updated_at, deleted_at)
     SELECT :id, team_id, name, mode, is_for_all_checks, starts_at, ends_at, timezone,
       recurrence_rule, expanded_until, created_at, updated_at, :now
     FROM maintenance_windows w
     WHERE key = :key AND EXISTS (SELECT FROM maintenance_occurrences o WHERE o.window_key = w.key AND o.starts_at < :now)
     RETURNING key`,
    { key, id: newId("maintenanceWindow"), now: new Date(nowMs) },
  );
  if (!copy) return;
  const bindings = { key, copyKey: copy.key, now: new Date(nowMs) };
  await trx.raw(
    `INSERT INTO maintenance_window_checks (window_key, team_id, check_key)
     SELECT :copyKey, team_id, check_key FROM maintenance_window_checks WHERE window_key = :key`,
    bindings,
  );
  await trx.raw(
    `INSERT INTO maintenance_occurrences (window_key, starts_at, ends_at, is_announced)
     SELECT :copyKey, starts_at, least(ends_at, :now), is_announced OR ends_at > :now FROM maintenance_occurrences
     WHERE window_key = :key AND starts_at < :now`,
    bindings,
  );
  await trx.raw("DELETE FROM maintenance_occurrences WHERE window_key = :key AND ends_at <= :now", {
    key,
    now: new Date(nowMs),
  });
}

/** The occurrences that replace those of a window that have not ended. `nowMs`: Unix ms. */
export interface ReplaceOccurrencesInput {
  /** Key of the window. */
  key: number;
  occurrences: readonly Occurrence[];
  nowMs: number;
}

/** Makes these the window's occurrences that have not ended; one that holds and is none of them ends now. */
export async function replaceOccurrences(
  trx: Knex,
  { key, occurrences, nowMs }: ReplaceOccurrencesInput,
): Promise<void> {
  const now = new Date(nowMs);
  await trx("maintenanceOccurrences").where({ windowKey: key }).where("startsAt", ">=", now).delete();
  await trx("maintenanceOccurrences")
    .where({ windowKey: key })
    .where("endsAt", ">", now)
    .update({ endsAt: now });
  await addOccurrences(trx, key, occurrences);
}

/** Adds occurrences; one that starts at the instant of a stored one takes its place. */
export async function addOccurrences(
  trx: Knex,
  key: number,
  occurrences: readonly Occurrence[],
): Promise<void> {
  await trx.raw(
    `INSERT INTO maintenance_occurrences (window_key, starts_at, ends_at)
     SELECT ?, to_timestamp(s / 1000.0), to_timestamp(e / 1000.0) FROM unnest(?::bigint[], ?::bigint[]) AS o (s, e)
     ON CONFLICT (window_key, starts_at) DO UPDATE SET ends_at = excluded.ends_at`,
    [key, occurrences.map((one) => one.startsAtMs), occurrences.map((one) => one.endsAtMs)],
  );
}

/**
 * Returns the occurrences of the team's windows that end after `nowMs`, the next first. All that have not ended last as long as the
 * first one, so that the many past ones need not be read.
 */
export function listOccurrenceRows(
  db: Knex,
  teamId: TeamId,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MaintenanceOccurrence[]> {
  return queryRows(
    db,
    `SELECT w.id AS maintenance_window_id, w.name, w.mode, w.timezone, o.starts_at, o.ends_at
     FROM maintenance_windows w CROSS JOIN LATERAL (
       SELECT starts_at, ends_at FROM maintenance_occurrences
       WHERE window_key = w.key AND ends_at > :now AND starts_at > CAST(:now AS timestamptz) - (w.ends_at - w.starts_at)
       ORDER BY starts_at LIMIT :limit) o
     WHERE w.team_id = :teamId AND w.deleted_at IS NULL
     ORDER BY o.starts_at, w.key LIMIT :limit`,
    { teamId, now: new Date(nowMs), limit },
  );
}
