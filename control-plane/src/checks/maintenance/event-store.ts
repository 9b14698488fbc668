/** SQL of the starts and ends of windows: one row for each, however many replicas see it and however late. */
import {
  type MaintenanceEventId,
  type MaintenanceMode,
  type MaintenanceWindowId,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** The start or the end of an occurrence. */
export interface MaintenanceEvent {
  id: MaintenanceEventId;
  teamId: TeamId;
  windowId: MaintenanceWindowId;
  windowName: string;
  mode: MaintenanceMode;
  type: "started" | "ended";
  occurrenceStartsAt: string;
  occurrenceEndsAt: string;
  createdAt: string;
}

const EVENTS_AT_ONCE = 500;

type DueEvent = Omit<MaintenanceEvent, "id">;

/** Returns occurrences that have started, or started and ended, without an event; the oldest first. */
function findStarted(db: Knex, now: Date): Promise<DueEvent[]> {
  return queryRows(
    db,
    `SELECT w.team_id, w.id AS window_id, w.name AS window_name, w.mode, 'started' AS type,
       o.starts_at AS occurrence_starts_at, o.ends_at AS occurrence_ends_at,
       least(:now, greatest(o.starts_at, w.created_at)) AS created_at
     FROM maintenance_occurrences o JOIN maintenance_windows w ON w.key = o.window_key
     WHERE o.starts_at <= :now AND NOT o.is_announced
     ORDER BY o.starts_at LIMIT ${EVENTS_AT_ONCE}`,
    { now },
  );
}

/** Returns ends to record: of occurrences that are over by their time, or because the window was changed or deleted. */
function findEnded(db: Knex, now: Date): Promise<DueEvent[]> {
  return queryRows(
    db,
    `SELECT e.team_id, e.window_id, e.window_name, e.mode, 'ended' AS type, e.occurrence_starts_at,
       least(coalesce(o.ends_at, :now), :now) AS occurrence_ends_at,
       least(coalesce(o.ends_at, :now), :now) AS created_at
     FROM maintenance_events e
     LEFT JOIN maintenance_windows w ON w.id = e.window_id
     LEFT JOIN maintenance_occurrences o ON o.window_key = w.key AND o.starts_at = e.occurrence_starts_at
     WHERE e.type = 'started' AND e.is_open AND (o.ends_at IS NULL OR o.ends_at <= :now)
     ORDER BY e.created_at LIMIT ${EVENTS_AT_ONCE}`,
    { now },
  );
}

async function insertEvents(trx: Knex, events: readonly DueEvent[]): Promise<MaintenanceEvent[]> {
  if (events.length === 0) return [];
  const rows = events.map((event) => ({ id: newId("maintenanceEvent"), ...event }));
  const inserted: { id: MaintenanceEventId }[] = await trx("maintenanceEvents")
    .insert(rows.map((row) => ({ ...row, isOpen: row.type === "started" })))
    .onConflict(["windowId", "occurrenceStartsAt", "type"])
    .ignore()
    .returning("id");
  const isNew = new Set(inserted.map((row) => row.id));
  return rows.filter((row) => isNew.has(row.id));
}

const OCCURRENCES = defineRecordset({ windowId: "text", occurrenceStartsAt: "timestamptz" });

/** Records the occurrences that started until `nowMs`. Returns the events that were not there yet. */
export async function recordStarts(trx: Knex, nowMs: number): Promise<MaintenanceEvent[]> {
  const due = await findStarted(trx, new Date(nowMs));
  const recorded = await insertEvents(trx, due);
  await trx.raw(
    `UPDATE maintenance_occurrences o SET is_announced = true
     FROM ${OCCURRENCES.as("x")}
     JOIN maintenance_windows w ON w.id = x."windowId"
     WHERE o.window_key = w.key AND o.starts_at = x."occurrenceStartsAt"`,
    [JSON.stringify(due)],
  );
  return recorded;
}

/** Records the occurrences that ended until `nowMs`. Returns the events that were not there yet. */
export async function recordEnds(trx: Knex, nowMs: number): Promise<MaintenanceEvent[]> {
  const due = await findEnded(trx, new Date(nowMs));
  const recorded = await insertEvents(trx, due);
  await trx.raw(
    `UPDATE maintenance_events e SET is_open = false
     FROM ${OCCURRENCES.as("x")}
     WHERE e.window_id = x."windowId" AND e.occurrence_starts_at = x."occurrenceStartsAt" AND e.type = 'started'`,
    [JSON.stringify(due)],
  );
  return recorded;
}
