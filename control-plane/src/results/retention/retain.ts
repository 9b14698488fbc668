/** Removes records that are older than they are kept: results by dropping their partitions, others by deletion in small steps. */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { listMergedTables } from "../../platform/db/merged-tables.ts";
import { FIVE_MINUTE_ROLLUPS } from "../../platform/db/rollup-tables.ts";
import { compactRevisions } from "./compact-revisions.ts";
import { deleteInSteps } from "./delete-in-steps.ts";
import { hasHoursBefore, readDroppedUntil, saveDroppedUntil } from "./dropped-store.ts";
import { forgetHistory } from "./forget-history.ts";
import { keepEdges } from "./keep-edges.ts";
import { dayOf, dayOfPartition, ensurePartitions, listPartitions, readOldestDay } from "./partitions.ts";

/** How long each kind of record is kept, by the settings of the same names. */
export interface RetentionSettings {
  retentionDays: number;
  rollupRetentionMonths: number;
  alertRetentionDays: number;
  incidentRetentionDays: number;
  historyRetentionDays: number;
  changeLogBytesMax: number;
}

/** Time for which partitions are created ahead, so that a database in which none can be created for some hours stops nothing. */
const CREATED_AHEAD_MS = 12 * HOUR_MS;
/** Days for which counted requests to third parties are kept: longer than the longest window of an SLO. */
const REQUESTS_RETENTION_DAYS = 32;
/** Incidents deleted by one statement. Each takes its members and events along, of which there may be thousands. */
const INCIDENTS_AT_ONCE = 100;
/** A drop that can't get its lock within this time is left for the next run, since writers would queue behind it. */
const DROP_LOCK_TIMEOUT = "2s";

/** Returns the first instant whose results are kept. */
export function retainedFrom(nowMs: number, retentionDays: number): number {
  return dayOf(nowMs) - retentionDays * DAY_MS;
}

/** Returns the first instant whose rollups are kept: this day and time, `months` months ago. */
export function rollupsRetainedFrom(nowMs: number, months: number): number {
  const from = new Date(nowMs);
  const day = from.getUTCDate();
  from.setUTCDate(1);
  from.setUTCMonth(from.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0)).getUTCDate();
  from.setUTCDate(Math.min(day, lastDay));
  return from.getTime();
}

/**
 * Creates the partitions since yesterday and for some hours ahead, each day's whole, and removes what is older than it is kept. A
 * replica of the release before makes no hours within a day that it finds, so all of them are there. Harmless to repeat.
 */
export async function retain(knex: Knex, nowMs: number, settings: RetentionSettings): Promise<void> {
  await ensurePartitions(knex, dayOf(nowMs) - DAY_MS, dayOf(nowMs + CREATED_AHEAD_MS) + DAY_MS - 1);
  const fromMs = retainedFrom(nowMs, settings.retentionDays);
  await noteDropped(knex, fromMs);
  await dropPartitions(knex, fromMs);
  await dropMergedTables(knex, fromMs);
  await deleteInSteps(knex, { table: "runner_presence", condition: "until_ms < ?", binding: fromMs });
  await deleteInSteps(knex, { table: "runner_breaks", condition: "until_ms < ?", binding: fromMs });
  await deleteInSteps(knex, { table: "service_outages", condition: "until_ms < ?", binding: fromMs });
  await deleteInSteps(knex, { table: "manual_runs", condition: "slot_ms < ?", binding: fromMs });
  await deleteInSteps(knex, { table: "missed_slots", condition: "slot_ms < ?", binding: fromMs });
  await deleteInSteps(knex, { table: "artifacts", condition: "slot_ms < ?", binding: fromMs });
  await deleteInSteps(knex, {
    table: "check_revisions",
    condition: "effective_until_ms < ?",
    binding: fromMs,
  });
  await deleteInSteps(knex, {
    table: "runners",
    condition: "lease_until < to_timestamp(?::bigint / 1000.0)",
    binding: fromMs,
  });
  const rollupsFromMs = rollupsRetainedFrom(nowMs, settings.rollupRetentionMonths);
  for (const table of [FIVE_MINUTE_ROLLUPS, "rollups_1h", "performance_rollups"])
    await deleteInSteps(knex, { table, condition: "bucket_ms < ?", binding: rollupsFromMs });
  await deleteInSteps(knex, {
    table: "pattern_requests",
    condition: "bucket_ms < ?",
    binding: nowMs - REQUESTS_RETENTION_DAYS * DAY_MS,
  });
  await deleteInSteps(knex, { table: "kept_results", condition: "slot_ms < ?", binding: rollupsFromMs });
  await forgetAlerts(knex, nowMs - settings.alertRetentionDays * DAY_MS);
  await forgetIncidents(knex, nowMs - settings.incidentRetentionDays * DAY_MS);
  await forgetDeletedRules(knex, nowMs - DAY_MS);
  await forgetHistory(knex, nowMs, settings);
  await compactRevisions(knex, nowMs);
}

/** Stores that results before an instant are dropped; the first time also what a release before dropped, which kept them for a shorter time. */
async function noteDropped(knex: Knex, fromMs: number): Promise<void> {
  const oldestMs = await readOldestDay(knex);
  const isShorter =
    (await readDroppedUntil(knex)) === undefined &&
    oldestMs > fromMs &&
    (await hasHoursBefore(knex, oldestMs));
  await saveDroppedUntil(knex, isShorter ? oldestMs : fromMs);
}

/**
 * Removes the alerts that ended before `fromMs` with their events, then references to tickets, unless an alert still
 * needs them. Active and acknowledged alerts stay, however old they are.
 */
async function forgetAlerts(knex: Knex, fromMs: number): Promise<void> {
  await deleteInSteps(knex, {
    table: "alert_instances",
    condition: `state IN ('recovered', 'resolved') AND ${beforeSql("coalesce(recovered_at, resolved_at)")}`,
    binding: fromMs,
  });
  const hasNoInstance = "NOT EXISTS (SELECT FROM alert_instances i WHERE";
  await deleteInSteps(knex, {
    table: "notification_references",
    condition: `${beforeSql("created_at")} AND subject_id LIKE 'ainst\\_%' AND ${hasNoInstance} i.id = subject_id)`,
    binding: fromMs,
  });
}

/** Removes the rules that were deleted before `fromMs` and that no alert names any more. */
async function forgetDeletedRules(knex: Knex, fromMs: number): Promise<void> {
  await deleteInSteps(knex, {
    table: "alert_rules",
    condition: `${beforeSql("deleted_at")} AND NOT EXISTS (SELECT FROM alert_instances i WHERE i.rule_key = alert_rules.key)`,
    binding: fromMs,
  });
}

/**
 * Removes the incidents that ended before `fromMs` with their members, events, notes and references to tickets. An open or
 * acknowledged incident stays, however old it is, and so does a closed one while one of its alerts lasts.
 */
async function forgetIncidents(knex: Knex, fromMs: number): Promise<void> {
  await deleteInSteps(knex, {
    table: "incidents",
    condition: `state IN ('resolved', 'closed') AND open_member_count = 0 AND ${beforeSql("coalesce(closed_at, resolved_at)")}`,
    binding: fromMs,
    rowsAtOnce: INCIDENTS_AT_ONCE,
  });
  await deleteInSteps(knex, {
    table: "notification_references",
    condition: `${beforeSql("created_at")} AND subject_id LIKE 'inc\\_%' AND NOT EXISTS (SELECT FROM incidents i WHERE i.id = subject_id)`,
    binding: fromMs,
  });
}

function beforeSql(column: string): string {
  return `${column} < to_timestamp(?::bigint / 1000.0)`;
}

/** Drops the tables of parts that were given up before their merge ended. */
async function dropMergedTables(knex: Knex, fromMs: number): Promise<void> {
  for (const name of await listMergedTables(knex)) {
    const dayMs = dayOfPartition(name.replace(/^merged_/, ""));
    if (dayMs !== undefined && dayMs < fromMs) await knex.raw(`DROP TABLE IF EXISTS ${name}`);
  }
  for (const table of ["copied_hours", "late_hours"])
    await deleteInSteps(knex, { table, condition: "hour_ms < ?", binding: fromMs });
}

/**
 * Drops the partitions of days that end at or before `fromMs`. One that is in use makes this call fail; it is dropped
 * next time.
 */
async function dropPartitions(knex: Knex, fromMs: number): Promise<void> {
  for (const name of await listPartitions(knex)) {
    const dayMs = dayOfPartition(name);
    if (dayMs === undefined || dayMs >= fromMs) continue;
    await knex.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${DROP_LOCK_TIMEOUT}'`);
      if (name.startsWith("results_")) await keepEdges(trx, dayMs, name);
      await trx.raw(`DROP TABLE IF EXISTS ${name}`);
    });
  }
}
