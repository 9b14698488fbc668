/** SQL of the events beside results that are exported as log records: derived events, alert events, maintenance events. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ExportedAlertEvent } from "../records/alert-records.ts";
import type { ExportedDerivedEvent } from "../records/derived-records.ts";
import type { ExportedMaintenanceEvent } from "../records/maintenance-records.ts";
import { afterCursor, type Cursor } from "./position.ts";

/** A row and its position in the order of export. */
type Positioned<Row> = Row & { xid: string; id: string };

/** The team's next events: at most `limit` rows after the cursor. */
export interface EventPageInput {
  teamId: TeamId;
  cursor: Cursor;
  limit: number;
}

/** Returns the SQL of the team's next rows of a table. Binds `:teamId`, `:limit` and those of the cursor. */
function nextIn(table: string): string {
  return `SELECT * FROM ${table} n WHERE n.team_id = :teamId AND ${afterCursor("n")} ORDER BY n.xid, n.id LIMIT :limit`;
}

const MS = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** Reads derived events in the order of export. */
export function readDerivedEvents(
  db: Knex,
  { teamId, cursor, limit }: EventPageInput,
): Promise<Positioned<ExportedDerivedEvent>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.name, e.severity, e.check_id, e.attributes,
       e.resource_attributes, e.trace_id,
       ${MS("e.occurred_at")} AS occurred_at_ms, ${MS("e.created_at")} AS created_at_ms
     FROM derived_events e WHERE e.team_id = :teamId AND ${afterCursor("e")} ORDER BY e.xid, e.id LIMIT :limit`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}

/**
 * Reads alert events of all types, so that the cursor passes `notified` too, which changes no state and is not
 * exported. Those of deleted checks are among them.
 */
export function readAlertEvents(
  db: Knex,
  { teamId, cursor, limit }: EventPageInput,
): Promise<Positioned<ExportedAlertEvent>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.type, e.state, e.severity, e.actor_id, e.summary, ${MS("e.created_at")} AS created_at_ms,
       e.instance_id, e.trace_id, e.rule_id, e.rule_name, e.check_id, e.check_name, e.labels
     FROM (
       SELECT e.xid, e.id, e.type, e.state, e.severity, e.actor_id,
         coalesce(e.detail ->> 'summary', i.context ->> 'summary') AS summary, e.created_at, i.id AS instance_id,
         i.triggering_trace_id AS trace_id, r.id AS rule_id, r.name AS rule_name, c.id AS check_id, c.name AS check_name,
         ARRAY(SELECT label FROM check_labels WHERE check_key = c.key ORDER BY label) AS labels
       FROM (${nextIn("alert_events")}) e
       JOIN alert_instances i ON i.id = e.instance_id
       JOIN alert_rules r ON r.key = i.rule_key
       LEFT JOIN checks c ON c.key = i.check_key
       UNION ALL
       SELECT e.xid, e.id, e.type, e.state, e.severity, e.actor_id, coalesce(e.detail ->> 'summary', e.summary),
         e.created_at, e.instance_id, e.trace_id, e.rule_id, e.rule_name, c.id, c.name, c.labels
       FROM (${nextIn("deleted_check_alert_events")}) e
       JOIN deleted_checks c ON c.key = e.check_key
     ) AS e
     ORDER BY e.xid, e.id LIMIT :limit`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}

/** Reads maintenance events in the order of export. */
export function readMaintenanceEvents(
  db: Knex,
  { teamId, cursor, limit }: EventPageInput,
): Promise<Positioned<ExportedMaintenanceEvent>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.window_id, e.window_name, e.mode, e.type,
       e.occurrence_starts_at, e.occurrence_ends_at,
       e.created_at
     FROM maintenance_events e WHERE e.team_id = :teamId AND ${afterCursor("e")} ORDER BY e.xid, e.id LIMIT :limit`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}
