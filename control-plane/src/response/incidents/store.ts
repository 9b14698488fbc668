/** SQL of incidents. Every statement names the team, or keys that were read for the team. */
import { type IncidentId, type IncidentsQuery, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { defineRecordset, TEXT_ARRAY } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";
import type { Dimension } from "./dimensions.ts";
import { RECURRENCE_MS, RECURRENCES_MAX } from "./fingerprint.ts";
import type { IncidentRow } from "./row.ts";
import type { TeamBatch } from "./team-batch.ts";

/**
 * Locks the incidents of a team until the transaction ends: one change at a time over all replicas. The first statement
 * of the transaction, so that every later one sees the state under the lock.
 */
export async function lockIncidents(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, hashtext(?))", [
    ADVISORY_LOCK_CLASSES.teamIncidents,
    teamId,
  ]);
}

const COLUMNS = `key, id, team_id, title, severity, state, dimensions, fingerprint_hash, hypothesis, observations, member_count,
  open_member_count, recurrence_of, merged_into, opened_at, acknowledged_at, acknowledged_by, quiet_since, resolved_at,
  closed_at, closed_by, updated_at, actor_name(acknowledged_by) AS acknowledged_by_name, actor_name(closed_by) AS closed_by_name`;

/** Returns a page of the team's incidents, newest first. */
export function listIncidentRows(
  db: Knex,
  teamId: TeamId,
  { state, alertId, after, rowsMax, offset }: Pick<IncidentsQuery, "state" | "alertId"> & ListPart,
): Promise<IncidentRow[]> {
  return queryRows(
    db,
    `SELECT ${COLUMNS} FROM incidents WHERE team_id = :teamId ${state ? "AND state = ANY(:state)" : ""}
       ${alertId === undefined ? "" : "AND key = (SELECT incident_key FROM incident_members WHERE instance_id = :alertId)"}
       ${after ? "AND (opened_at, key) < (CAST(:openedAt AS timestamptz), CAST(:key AS bigint))" : ""}
     ORDER BY opened_at DESC, key DESC LIMIT :rowsMax OFFSET :offset`,
    {
      teamId,
      rowsMax,
      offset,
      ...(state && { state }),
      ...(alertId !== undefined && { alertId }),
      ...(after && { openedAt: after[0], key: after[1] }),
    },
  );
}

/** Returns an incident; undefined when the id is unknown, another team's, or no incident's id at all. */
export async function findIncidentRow(
  db: Knex,
  teamId: TeamId,
  id: IncidentId,
): Promise<IncidentRow | undefined> {
  if (!isId("incident", id)) return undefined;
  const [row] = await queryRows<IncidentRow>(
    db,
    `SELECT ${COLUMNS} FROM incidents WHERE team_id = ? AND id = ?`,
    [teamId, id],
  );
  return row;
}

/** Returns the incidents with these keys, oldest first. */
export function readIncidentRows(db: Knex, keys: readonly number[]): Promise<IncidentRow[]> {
  if (keys.length === 0) return Promise.resolve([]);
  return queryRows(db, `SELECT ${COLUMNS} FROM incidents WHERE key = ANY(?) ORDER BY key`, [[...keys]]);
}

/** Columns that describe an incident by its members. */
const DESCRIPTION = {
  title: "text",
  severity: "text",
  state: "text",
  dimensions: TEXT_ARRAY,
  fingerprintHash: "text",
  hypothesis: "jsonb",
  observations: "jsonb",
  memberCount: "integer",
  openMemberCount: "integer",
} as const;

const NEW_INCIDENTS = defineRecordset({
  id: "text",
  teamId: "text",
  ...DESCRIPTION,
  recurrenceOf: TEXT_ARRAY,
  openedAt: "timestamptz",
});

/** Columns of an incident that may change, and its key. */
const CHANGED_INCIDENTS = defineRecordset({
  key: "bigint",
  ...DESCRIPTION,
  mergedInto: "text",
  acknowledgedAt: "timestamptz",
  acknowledgedBy: "text",
  quietSince: "timestamptz",
  resolvedAt: "timestamptz",
  closedAt: "timestamptz",
  closedBy: "text",
  updatedAt: "timestamptz",
});

/** Stores new incidents and returns their keys by id. */
export async function insertIncidents(
  trx: Knex,
  rows: readonly Omit<IncidentRow, "key">[],
): Promise<Map<IncidentId, number>> {
  if (rows.length === 0) return new Map();
  const inserted = await queryRows<{ key: number; id: IncidentId }>(
    trx,
    `${NEW_INCIDENTS.insertInto("incidents")} RETURNING key, id`,
    [JSON.stringify(rows)],
  );
  return new Map(inserted.map(({ id, key }) => [id, key]));
}

/** Updates every column of existing incidents that may change. */
export async function updateIncidents(trx: Knex, rows: readonly IncidentRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE incidents i SET ${CHANGED_INCIDENTS.assignments("u", ["key"])}
     FROM ${CHANGED_INCIDENTS.as("u")} WHERE i.key = u.key`,
    [JSON.stringify(rows)],
  );
}

/** Returns the active incidents that have had no open member since an instant or longer, longest first. */
export function readQuietIncidents(
  db: Knex,
  quietSince: Date,
  limit: number,
): Promise<{ id: IncidentId; teamId: TeamId }[]> {
  return queryRows(
    db,
    `SELECT id, team_id FROM incidents i WHERE state IN ('open', 'acknowledged') AND quiet_since <= ?
       AND NOT EXISTS (SELECT FROM location_outages o WHERE o.incident_key = i.key AND o.ended_at IS NULL)
     ORDER BY quiet_since LIMIT ?`,
    [quietSince, limit],
  );
}

/** The fingerprint of a new incident, to find earlier incidents by. */
export interface FingerprintToFind {
  id: IncidentId;
  dimensions: readonly Dimension[];
}

const WANTED = defineRecordset({ id: "text", dimensions: "jsonb" });

/**
 * Finds earlier incidents that ended within the recurrence time and whose fingerprint comes again: all dimensions that their
 * members shared are there.
 * @returns ids of earlier incidents, newest first, by the id of the new incident
 */
export async function readRecurrences(
  db: Knex,
  { teamId, nowMs }: TeamBatch,
  wanted: readonly FingerprintToFind[],
): Promise<Map<IncidentId, IncidentId[]>> {
  const rows = await queryRows<{ wantedId: IncidentId; ids: IncidentId[] }>(
    db,
    `SELECT w.id AS wanted_id, array_agg(p.id ORDER BY p.ended_at DESC) AS ids
     FROM ${WANTED.as("w", ":wanted")}
     CROSS JOIN LATERAL (
       SELECT i.id, coalesce(i.closed_at, i.resolved_at) AS ended_at FROM incidents i
       WHERE i.team_id = :teamId AND i.state IN ('resolved', 'closed') AND coalesce(i.closed_at, i.resolved_at) >= :since
         AND i.merged_into IS NULL AND i.dimensions <> '{}' AND i.dimensions <@ ARRAY(SELECT jsonb_array_elements_text(w.dimensions))
       ORDER BY ended_at DESC LIMIT ${RECURRENCES_MAX}) p
     GROUP BY w.id`,
    { teamId, wanted: JSON.stringify(wanted), since: new Date(nowMs - RECURRENCE_MS) },
  );
  return new Map(rows.map(({ wantedId, ids }) => [wantedId, ids]));
}
