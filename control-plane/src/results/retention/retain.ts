/** What is kept how long: results by dropping their day, the rest by deleting old rows, a little at a time. */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { keepEdges } from "./keep-edges.ts";
import { dayOf, dayOfPartition, ensurePartitions, listPartitions, partitionName } from "./partitions.ts";

export interface RetentionSettings {
  retentionDays: number;
  rollupRetentionMonths: number;
  alertRetentionDays: number;
  incidentRetentionDays: number;
}

/** Partitions exist this many days ahead, so that a database that is read-only for a while stops nothing at midnight. */
const DAYS_AHEAD = 2;
const ROWS_AT_ONCE = 5_000;
/** Each takes its members and events along, of which there may be thousands. */
const INCIDENTS_AT_ONCE = 100;
/** A partition is dropped only if nobody is in its way: writers must not queue behind the drop. */
const DROP_LOCK_TIMEOUT = "2s";

/** First instant whose results are kept. */
export function retainedFrom(nowMs: number, retentionDays: number): number {
  return dayOf(nowMs) - retentionDays * DAY_MS;
}

/** First instant whose rollups are kept: the same day and time so many months ago. */
export function rollupsRetainedFrom(nowMs: number, months: number): number {
  const from = new Date(nowMs);
  const day = from.getUTCDate();
  from.setUTCDate(1);
  from.setUTCMonth(from.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0)).getUTCDate();
  from.setUTCDate(Math.min(day, lastDay));
  return from.getTime();
}

/** Makes the partitions of the coming days and removes what is older than it is kept. Harmless to repeat. */
export async function retain(knex: Knex, nowMs: number, settings: RetentionSettings): Promise<void> {
  await ensurePartitions(knex, nowMs - DAY_MS, nowMs + DAYS_AHEAD * DAY_MS);
  const fromMs = retainedFrom(nowMs, settings.retentionDays);
  await dropPartitions(knex, fromMs);
  await deleteInSteps(knex, "runner_presence", "until_ms < ?", fromMs);
  await deleteInSteps(knex, "manual_runs", "slot_ms < ?", fromMs);
  await deleteInSteps(knex, "missed_slots", "slot_ms < ?", fromMs);
  await deleteInSteps(knex, "artifacts", "slot_ms < ?", fromMs);
  await deleteInSteps(knex, "check_revisions", "effective_until_ms < ?", fromMs);
  await deleteInSteps(knex, "runners", "lease_until < to_timestamp(?::bigint / 1000.0)", fromMs);
  const rollupsFromMs = rollupsRetainedFrom(nowMs, settings.rollupRetentionMonths);
  for (const table of ["rollups_5m", "rollups_1h", "performance_rollups"])
    await deleteInSteps(knex, table, "bucket_ms < ?", rollupsFromMs);
  await deleteInSteps(knex, "kept_results", "slot_ms < ?", rollupsFromMs);
  await forgetAlerts(knex, nowMs - settings.alertRetentionDays * DAY_MS);
  await forgetIncidents(knex, nowMs - settings.incidentRetentionDays * DAY_MS);
}

/**
 * Removes the alerts that ended before, with their events, and what is left of rules that were deleted before and of
 * tickets. What is active or acknowledged stays, however old it is.
 */
async function forgetAlerts(knex: Knex, fromMs: number): Promise<void> {
  await deleteInSteps(
    knex,
    "alert_instances",
    `state IN ('recovered', 'resolved') AND ${isBefore("coalesce(recovered_at, resolved_at)")}`,
    fromMs,
  );
  const hasNoInstance = "NOT EXISTS (SELECT FROM alert_instances i WHERE";
  await deleteInSteps(
    knex,
    "alert_rules",
    `${isBefore("deleted_at")} AND ${hasNoInstance} i.rule_key = alert_rules.key)`,
    fromMs,
  );
  await deleteInSteps(
    knex,
    "notification_references",
    `${isBefore("created_at")} AND subject_id LIKE 'ainst\\_%' AND ${hasNoInstance} i.id = subject_id)`,
    fromMs,
  );
}

/**
 * Removes the incidents that ended before, with their members, events and notes, and what is left of their tickets. One that
 * is open or acknowledged stays, however old it is, and so does one that was closed while an alert of it lasts.
 */
async function forgetIncidents(knex: Knex, fromMs: number): Promise<void> {
  await deleteInSteps(
    knex,
    "incidents",
    `state IN ('resolved', 'closed') AND open_member_count = 0 AND ${isBefore("coalesce(closed_at, resolved_at)")}`,
    fromMs,
    INCIDENTS_AT_ONCE,
  );
  await deleteInSteps(
    knex,
    "notification_references",
    `${isBefore("created_at")} AND subject_id LIKE 'inc\\_%' AND NOT EXISTS (SELECT FROM incidents i WHERE i.id = subject_id)`,
    fromMs,
  );
}

function isBefore(column: string): string {
  return `${column} < to_timestamp(?::bigint / 1000.0)`;
}

/** Drops the days that end at or before `fromMs`; one that is in use is left for the next time. */
async function dropPartitions(knex: Knex, fromMs: number): Promise<void> {
  for (const name of await listPartitions(knex)) {
    const dayMs = dayOfPartition(name);
    if (dayMs === undefined || dayMs >= fromMs) continue;
    await knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${DROP_LOCK_TIMEOUT}'`);
      if (name === partitionName("results", dayMs)) await keepEdges(trx, dayMs);
      await trx.raw(`DROP TABLE IF EXISTS ${name}`);
    });
  }
}

/** Deletes the rows of a (not partitioned) table for which `condition` holds, in short transactions. */
export async function deleteInSteps(
  knex: Knex,
  table: string,
  condition: string,
  binding: number,
  rowsAtOnce = ROWS_AT_ONCE,
): Promise<void> {
  for (;;) {
    const deleted = await queryRows(
      knex,
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${rowsAtOnce}))
       RETURNING 1`,
      [binding],
    );
    if (deleted.length < rowsAtOnce) return;
  }
}
