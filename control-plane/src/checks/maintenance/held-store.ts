/** SQL of the checks that windows hold. A window holds from an occurrence's start up to but not including its end. */
import type { CheckId, MaintenanceMode, MaintenanceWindowId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A window that holds for a check. */
export interface ActiveWindow {
  checkId: CheckId;
  windowId: MaintenanceWindowId;
  windowName: string;
  /**
   * pause: the check does not run; continue: it runs, its alerts are muted. Late results of a paused check are muted
   * too.
   */
  mode: MaintenanceMode;
  /** Unix ms: when this occurrence ends. */
  endsAtMs: number;
}

/** The checks whose windows are looked for, and the instant. */
export interface ActiveWindowsInput {
  teamId: TeamId;
  checkIds: readonly CheckId[];
  /** Unix ms, control-plane clock. */
  atMs: number;
}

/**
 * Returns the windows that hold for these checks at an instant; none, one or several per check. One indexed read of the
 * occurrences of that instant, cheap when there are none.
 */
export function activeWindowsFor(
  trx: Knex,
  { teamId, checkIds, atMs }: ActiveWindowsInput,
): Promise<ActiveWindow[]> {
  return queryRows(
    trx,
    `SELECT c.id AS check_id, w.id AS window_id, w.name AS window_name, w.mode,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS ends_at_ms
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

/** A span of time, from `fromMs` to before `toMs`. Unix ms. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

/**
 * Returns the spans in which windows held, hold or will hold for these checks and that overlap the given span, in either
 * mode, windows deleted since included. In no particular order; they may overlap one another.
 * @returns spans by check key; a check without any is missing
 */
export async function heldSpans(
  db: Knex,
  { checkKeys, fromMs, toMs }: TimeSpan & { checkKeys: readonly number[] },
): Promise<Map<number, TimeSpan[]>> {
  const rows = await queryRows<TimeSpan & { checkKey: number }>(
    db,
    `SELECT c.key AS check_key, (extract(epoch FROM o.starts_at) * 1000)::bigint AS from_ms,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS to_ms
     FROM checks c
     JOIN maintenance_windows w ON w.team_id = c.team_id
     JOIN maintenance_occurrences o ON o.window_key = w.key AND o.starts_at < :to AND o.ends_at > :from
     WHERE c.key = ANY(CAST(:checkKeys AS bigint[]))
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))`,
    { checkKeys: [...checkKeys], from: new Date(fromMs), to: new Date(toMs) },
  );
  const spans = new Map<number, TimeSpan[]>();
  for (const { checkKey, ...span } of rows) {
    const ofCheck = spans.get(checkKey);
    if (ofCheck) ofCheck.push(span);
    else spans.set(checkKey, [span]);
  }
  return spans;
}

/** A time in which a window held, holds or will hold. */
export interface HeldTime extends TimeSpan {
  teamId: TeamId;
  /** Checks of the window; null: all of the team. */
  checkKeys: number[] | null;
}

/**
 * Returns the times in which windows of these teams hold and that overlap the given span, in either mode, windows
 * deleted since included. In no particular order; they may overlap one another.
 */
export function heldTimesOfTeams(
  db: Knex,
  { teamIds, fromMs, toMs }: TimeSpan & { teamIds: readonly TeamId[] },
): Promise<HeldTime[]> {
  return queryRows(
    db,
    `SELECT w.team_id, (extract(epoch FROM o.starts_at) * 1000)::bigint AS from_ms,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS to_ms,
       CASE WHEN NOT w.is_for_all_checks THEN
         ARRAY(SELECT m.check_key FROM maintenance_window_checks m WHERE m.window_key = w.key) END AS check_keys
     FROM maintenance_windows w
     JOIN maintenance_occurrences o ON o.window_key = w.key AND o.starts_at < :to AND o.ends_at > :from
     WHERE w.team_id = ANY(:teamIds)`,
    { teamIds: [...teamIds], from: new Date(fromMs), to: new Date(toMs) },
  );
}
