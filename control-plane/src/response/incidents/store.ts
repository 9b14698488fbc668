/** SQL of incidents. Every statement names the team or keys that were read for it. */
import { type IncidentsQuery, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Dimension } from "./dimensions.ts";
import { RECURRENCE_MS, RECURRENCES_MAX } from "./fingerprint.ts";
import type { IncidentRow } from "./row.ts";

/** One change of a team's incidents at a time, over all replicas, until the transaction ends. Take it before anything else. */
export async function lockIncidents(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(?, hashtext(?))", [
    ADVISORY_LOCK_CLASSES.teamIncidents,
    teamId,
  ]);
}

const COLUMNS = `key, id, team_id AS "teamId", title, severity, state, dimensions, fingerprint_hash AS "fingerprintHash",
  hypothesis, observations, member_count AS "memberCount", open_member_count AS "openMemberCount",
  recurrence_of AS "recurrenceOf", merged_into AS "mergedInto", opened_at AS "openedAt", acknowledged_at AS "acknowledgedAt",
  acknowledged_by AS "acknowledgedBy", quiet_since AS "quietSince", resolved_at AS "resolvedAt", closed_at AS "closedAt",
  closed_by AS "closedBy", updated_at AS "updatedAt"`;

/** Newest first. */
export function listIncidentRows(
  db: Knex,
  teamId: TeamId,
  { state, limit, offset }: IncidentsQuery,
): Promise<IncidentRow[]> {
  return queryRows(
    db,
    `SELECT ${COLUMNS} FROM incidents WHERE team_id = :teamId ${state ? "AND state = ANY(:state)" : ""}
     ORDER BY opened_at DESC, key DESC LIMIT :limit OFFSET :offset`,
    { teamId, limit, offset, ...(state ? { state } : {}) },
  );
}

export async function findIncidentRow(
  db: Knex,
  teamId: TeamId,
  id: string,
): Promise<IncidentRow | undefined> {
  if (!isId("incident", id)) return undefined;
  const [row] = await queryRows<IncidentRow>(
    db,
    `SELECT ${COLUMNS} FROM incidents WHERE team_id = ? AND id = ?`,
    [teamId, id],
  );
  return row;
}

export function readIncidentRows(db: Knex, keys: readonly number[]): Promise<IncidentRow[]> {
  if (keys.length === 0) return Promise.resolve([]);
  return queryRows(db, `SELECT ${COLUMNS} FROM incidents WHERE key = ANY(?) ORDER BY key`, [[...keys]]);
}

/** What a row looks like in JSON for json_to_recordset. */
const RECORD = `key bigint, id text, "teamId" text, title text, severity text, state text, dimensions jsonb,
  "fingerprintHash" text, hypothesis jsonb, observations jsonb, "memberCount" integer, "openMemberCount" integer,
  "recurrenceOf" jsonb, "mergedInto" text, "openedAt" timestamptz, "acknowledgedAt" timestamptz, "acknowledgedBy" text,
  "quietSince" timestamptz, "resolvedAt" timestamptz, "closedAt" timestamptz, "closedBy" text, "updatedAt" timestamptz`;
const TEXTS = (column: string) => `ARRAY(SELECT jsonb_array_elements_text(u.${column}))`;

/** Stores new incidents. @returns their keys, by id */
export async function insertIncidents(
  trx: Knex,
  rows: readonly Omit<IncidentRow, "key">[],
): Promise<Map<string, number>> {
  if (rows.length === 0) return new Map();
  const inserted = await queryRows<{ key: number; id: string }>(
    trx,
    `INSERT INTO incidents (id, team_id, title, severity, state, dimensions, fingerprint_hash, hypothesis, observations,
       member_count, open_member_count, recurrence_of, opened_at)
     SELECT u.id, u."teamId", u.title, u.severity, u.state, ${TEXTS("dimensions")}, u."fingerprintHash", u.hypothesis,
       u.observations, u."memberCount", u."openMemberCount", ${TEXTS('"recurrenceOf"')}, u."openedAt"
     FROM json_to_recordset(?::json) AS u (${RECORD}) RETURNING key, id`,
    [JSON.stringify(rows)],
  );
  return new Map(inserted.map(({ id, key }) => [id, key]));
}

/** Stores what may change of incidents that are there. */
export async function updateIncidents(trx: Knex, rows: readonly IncidentRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(
    `UPDATE incidents i SET title = u.title, severity = u.severity, state = u.state, dimensions = ${TEXTS("dimensions")},
       fingerprint_hash = u."fingerprintHash", hypothesis = u.hypothesis, observations = u.observations,
       member_count = u."memberCount", open_member_count = u."openMemberCount", acknowledged_at = u."acknowledgedAt",
       acknowledged_by = u."acknowledgedBy", quiet_since = u."quietSince", resolved_at = u."resolvedAt",
       closed_at = u."closedAt", closed_by = u."closedBy", merged_into = u."mergedInto", updated_at = u."updatedAt"
     FROM json_to_recordset(?::json) AS u (${RECORD}) WHERE i.key = u.key`,
    [JSON.stringify(rows)],
  );
}

/** Active incidents without an open member since an instant, with their team. */
export function readQuietIncidents(
  db: Knex,
  quietSince: Date,
  limit: number,
): Promise<{ id: string; teamId: TeamId }[]> {
  return queryRows(
    db,
    `SELECT id, team_id AS "teamId" FROM incidents WHERE state IN ('open', 'acknowledged') AND quiet_since <= ?
     ORDER BY quiet_since LIMIT ?`,
    [quietSince, limit],
  );
}

/** A fingerprint to look for: what the new incident's first alert has. */
export interface FingerprintToFind {
  id: string;
  dimensions: readonly Dimension[];
}

/**
 * Incidents that ended within the recurrence time and whose fingerprint comes again: all that their members shared is there.
 * @returns by the id that asked, newest first
 */
export async function readRecurrences(
  db: Knex,
  teamId: TeamId,
  wanted: readonly FingerprintToFind[],
  nowMs: number,
): Promise<Map<string, string[]>> {
  const rows = await queryRows<{ wantedId: string; ids: string[] }>(
    db,
    `SELECT w.id AS "wantedId", array_agg(p.id ORDER BY p.ended_at DESC) AS ids
     FROM json_to_recordset(:wanted) AS w (id text, dimensions jsonb)
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
