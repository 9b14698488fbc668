/**
 * Removes what nobody reads any more: old history, and records that were deleted and stay as rows only while they are
 * named.
 */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { deleteInSteps } from "./delete-in-steps.ts";
import { shortenChangeLogs } from "./shorten-change-logs.ts";

/** How long history is kept, in days, and how large a change log may be. */
export interface HistorySettings {
  retentionDays: number;
  historyRetentionDays: number;
  /** Most bytes of a team's change log. */
  changeLogBytesMax: number;
}

/** Days beyond those of the results for which past maintenance counts: the longest window of an SLO, and one more. */
const MAINTENANCE_EXTRA_DAYS = 31;

/** Removes old history. Harmless to repeat. */
export async function forgetHistory(knex: Knex, nowMs: number, settings: HistorySettings): Promise<void> {
  const dayAgoMs = nowMs - DAY_MS;
  const historyFromMs = nowMs - settings.historyRetentionDays * DAY_MS;
  const maintenanceFromMs = nowMs - (settings.retentionDays + MAINTENANCE_EXTRA_DAYS) * DAY_MS;
  const before = (table: string, condition: string, binding: number) =>
    deleteInSteps(knex, {
      table,
      condition: condition.replace("?", "to_timestamp(?::bigint / 1000.0)"),
      binding,
    });
  await before("changes", "created_at < ?", historyFromMs);
  await shortenChangeLogs(knex, settings.changeLogBytesMax);
  await before("deployments", "created_at < ?", historyFromMs);
  await before("analyses", "requested_at < ?", historyFromMs);
  await before("maintenance_events", "created_at < ? AND NOT is_open", historyFromMs);
  await before("maintenance_occurrences", "ends_at < ?", maintenanceFromMs);
  // A deleted window counts while it has occurrences; one that never held is of no use.
  await before(
    "maintenance_windows",
    `deleted_at < ? AND NOT EXISTS (SELECT FROM maintenance_occurrences o WHERE o.window_key = maintenance_windows.key)`,
    dayAgoMs,
  );
  // Results name their location; a check's revisions are kept as long as its results.
  await before(
    "locations",
    "deleted_at < ? AND key NOT IN (SELECT unnest(location_keys) FROM check_revisions)",
    dayAgoMs,
  );
  // Their alert events go with them.
  await before("deleted_checks", "deleted_at < ?", nowMs - settings.retentionDays * DAY_MS);
  await before("sessions", "expires_at < ?", nowMs);
  await before("sign_in_links", "expires_at < ?", dayAgoMs);
  await before("device_codes", "expires_at < ?", dayAgoMs);
  await knex.raw("DELETE FROM team_usage WHERE team_id NOT IN (SELECT id FROM teams)");
}
