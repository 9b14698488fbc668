/** All SQL of maintenance windows and their occurrences. A window holds from an occurrence's start up to but not including its end. */
import type { MaintenanceMode } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../db/rows.ts";

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
  teamId: string,
  checkIds: readonly string[],
  atMs: number,
): Promise<ActiveWindow[]> {
  return queryRows(
    trx,
    `SELECT c.id AS "checkId", w.id AS "windowId", w.name AS "windowName", w.mode,
       (extract(epoch FROM o.ends_at) * 1000)::bigint AS "endsAtMs"
     FROM maintenance_occurrences o
     JOIN maintenance_windows w ON w.key = o.window_key AND w.team_id = :teamId
     JOIN checks c ON c.team_id = w.team_id AND c.id = ANY(:checkIds)
     WHERE o.ends_at > :at AND o.starts_at <= :at
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))
     ORDER BY c.key, o.ends_at`,
    { teamId, checkIds, at: new Date(atMs) },
  );
}
