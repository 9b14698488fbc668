/**
 * All SQL of maintenance windows and their occurrences. A window holds from an occurrence's start up to but not including
 * its end. Windows that were deleted stay as rows for what they held for; nobody sees them.
 */
import { isId, type MaintenanceMode, newId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { Occurrence } from "./recurrence.ts";

/** A window that holds for a check. */
export interface ActiveWindow {
  checkId: string;
  windowId: string;
  windowName: string;
  /** pause: the check does not run; continue: it runs, its alerts are muted. What a paused check still says is muted too. */
  mode: MaintenanceMode;
  /** Unix ms: when this occurrence ends. */
  endsAtMs: number;
}

/**
 * The windows that hold for these checks at an instant; none, one or several per check. One indexed read of what holds
 * then, cheap when nothing does.
 * @param atMs Unix ms, control-plane clock
 */
export function activeWindowsFor(
  trx: Knex,
  teamId: TeamId,
  checkIds: readonly string[],
  atMs: number,
): Promise<ActiveWindow[]> {
  return queryRows(
    trx,
    `SELECT c.id AS "checkId", w.id AS "windowId", w.name AS "windowName", w.mode,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS "endsAtMs"
     FROM maintenance_occurrences o
     JOIN maintenance_windows w ON w.key = o.window_key AND w.team_id = :teamId AND w.deleted_at IS NULL
     JOIN checks c ON c.team_id = w.team_id AND c.id = ANY(:checkIds)
     WHERE o.ends_at > :at AND o.starts_at <= :at
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))
     ORDER BY c.key, o.ends_at`,
    { teamId, checkIds, at: new Date(atMs) },
  );
}

/**
 * When windows held, hold or will hold for these checks: what overlaps the time from `fromMs` to before `toMs`, in either
 * mode, those of windows deleted since included. Unix ms; in no particular order, and they may overlap.
 * @returns by check key; a check that no window holds for is missing
 */
export async function heldSpans(
  db: Knex,
  checkKeys: readonly number[],
  fromMs: number,
  toMs: number,
): Promise<Map<number, { fromMs: number; toMs: number }[]>> {
  const rows = await queryRows<{ checkKey: number; fromMs: number; toMs: number }>(
    db,
    `SELECT c.key AS "checkKey", (extract(epoch FROM o.starts_at) * 1000)::bigint AS "fromMs",
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS "toMs"
     FROM checks c
     JOIN maintenance_windows w ON w.team_id = c.team_id
     JOIN maintenance_occurrences o ON o.window_key = w.key AND o.starts_at < :to AND o.ends_at > :from
     WHERE c.key = ANY(CAST(:checkKeys AS bigint[]))
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))`,
    { checkKeys: [...checkKeys], from: new Date(fromMs), to: new Date(toMs) },
  );
  const spans = new Map<number, { fromMs: number; toMs: number }[]>();
  for (const { checkKey, ...span } of rows) spans.set(checkKey, [...(spans.get(checkKey) ?? []), span]);
  return spans;
}

/** A window as its verbs read it. */
export interface WindowRow {
  key: number;
  id: string;
  teamId: TeamId;
  name: string;
  mode: MaintenanceMode;
  isForAllChecks: boolean;
  /** Ids of the checks, oldest first; empty when it is for all. */
  checkIds: string[];
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
  SELECT w.key, w.id, w.team_id AS "teamId", w.name, w.mode, w.is_for_all_checks AS "isForAllChecks",
    w.starts_at AS "startsAt", w.ends_at AS "endsAt", w.timezone, w.recurrence_rule AS "recurrenceRule",
    w.created_at AS "createdAt", w.updated_at AS "updatedAt",
    ARRAY(SELECT c.id FROM maintenance_window_checks m JOIN checks c ON c.key = m.check_key
          WHERE m.window_key = w.key ORDER BY c.key) AS "checkIds",
    EXISTS (SELECT FROM maintenance_occurrences o WHERE o.window_key = w.key
              AND o.starts_at <= :now AND o.ends_at > :now) AS "isActive",
    (SELECT min(o.starts_at) FROM maintenance_occurrences o WHERE o.window_key = w.key
       AND o.starts_at > :now) AS "nextStartsAt"
  FROM maintenance_windows w WHERE w.team_id = :teamId AND w.deleted_at IS NULL`;

/** Newest first. */
export function listWindowRows(db: Knex, teamId: TeamId, nowMs: number): Promise<WindowRow[]> {
  return queryRows(db, `${WINDOWS} ORDER BY w.created_at DESC, w.key DESC`, { teamId, now: new Date(nowMs) });
}

export async function findWindowRow(
  db: Knex,
  teamId: TeamId,
  id: string,
  nowMs: number,
): Promise<WindowRow | undefined> {
  if (!isId("maintenanceWindow", id)) return undefined;
  const [row] = await queryRows<WindowRow>(db, `${WINDOWS} AND w.id = :id`, {
    teamId,
    id,
    now: new Date(nowMs),
  });
  return row;
}

/** The same, locked until the transaction ends: changes of one window happen one after another. */
export async function lockWindowRow(
  trx: Knex,
  teamId: TeamId,
  id: string,
  nowMs: number,
): Promise<WindowRow | undefined> {
  if (!isId("maintenanceWindow", id)) return undefined;
  await trx("maintenanceWindows").where({ teamId, id }).forUpdate().first("key");
  return findWindowRow(trx, teamId, id, nowMs);
}

/** What of a window its verbs write. Instants: Unix ms. */
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

/** @returns its key */
export async function insertWindow(
  trx: Knex,
  { id, teamId, createdAtMs, ...values }: WindowValues & { id: string; teamId: TeamId; createdAtMs: number },
): Promise<number> {
  const [row] = await trx("maintenanceWindows")
    .insert({ id, teamId, createdAt: new Date(createdAtMs), ...columnsOf(values) })
    .returning("key");
  return row.key;
}

export async function updateWindow(
  trx: Knex,
  key: number,
  values: WindowValues,
  updatedAtMs: number,
): Promise<void> {
  await trx("maintenanceWindows")
    .where({ key })
    .update({ ...columnsOf(values), updatedAt: new Date(updatedAtMs) });
}

/** Ends the window for good; what it held for stays in history. */
export async function markWindowDeleted(trx: Knex, key: number, nowMs: number): Promise<void> {
  await replaceOccurrences(trx, key, [], nowMs);
  await trx("maintenanceWindows")
    .where({ key })
    .update({ deletedAt: new Date(nowMs) });
}

/** The team's checks with these ids, kept from being deleted until the transaction ends. */
export function holdChecks(
  trx: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<{ key: number; id: string }[]> {
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
    "INSERT INTO maintenance_window_checks (window_key, check_key) SELECT ?, unnest(?::bigint[])",
    [key, [...checkKeys]],
  );
}

/**
 * Leaves what a window held for until now to a deleted copy of it, so that other checks from now on change nothing of that.
 * The occurrence that holds stays with the window, too.
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
    `INSERT INTO maintenance_window_checks (window_key, check_key)
     SELECT :copyKey, check_key FROM maintenance_window_checks WHERE window_key = :key`,
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

/** Makes these the occurrences that have not ended; one that holds and is none of them ends now. */
export async function replaceOccurrences(
  trx: Knex,
  key: number,
  occurrences: readonly Occurrence[],
  nowMs: number,
): Promise<void> {
  const now = new Date(nowMs);
  await trx("maintenanceOccurrences").where({ windowKey: key }).where("startsAt", ">=", now).delete();
  await trx("maintenanceOccurrences")
    .where({ windowKey: key })
    .where("endsAt", ">", now)
    .update({ endsAt: now });
  await addOccurrences(trx, key, occurrences);
}

/** Adds occurrences; one that starts when a stored one does takes its place. */
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
