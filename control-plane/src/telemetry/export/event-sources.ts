/** SQL of the events that are exported as log records, besides results: derived events, alerts, maintenance windows. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { AlertEventFacts } from "../records/alert-records.ts";
import type { DerivedEventFacts } from "../records/derived-records.ts";
import type { MaintenanceFacts } from "../records/maintenance-records.ts";
import { afterCursor, type Cursor } from "./position.ts";

type Placed<Facts> = Facts & { xid: string; id: string };

const MS = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`;

export function readDerivedEvents(
  db: Knex,
  teamId: TeamId,
  cursor: Cursor,
  limit: number,
): Promise<Placed<DerivedEventFacts>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.name, e.severity, e.check_id, e.attributes,
       e.resource_attributes, e.trace_id,
       ${MS("e.occurred_at")} AS occurred_at_ms, ${MS("e.created_at")} AS created_at_ms
     FROM derived_events e WHERE e.team_id = :teamId AND ${afterCursor("e")} ORDER BY e.xid, e.id LIMIT :limit`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}

/** All types of events are read, so that the cursor passes them; `notified` changes no state. */
export function readAlertEvents(
  db: Knex,
  teamId: TeamId,
  cursor: Cursor,
  limit: number,
): Promise<Placed<AlertEventFacts>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.type, e.state, e.severity, e.actor_id,
       coalesce(e.detail ->> 'summary', i.context ->> 'summary') AS summary, ${MS("e.created_at")} AS created_at_ms,
       i.id AS instance_id, i.triggering_trace_id AS trace_id, r.id AS rule_id, r.name AS rule_name,
       c.id AS check_id, c.name AS check_name,
       ARRAY(SELECT label FROM check_labels WHERE check_key = c.key ORDER BY label) AS labels
     FROM (SELECT * FROM alert_events e WHERE e.team_id = :teamId AND ${afterCursor("e")}
           ORDER BY e.xid, e.id LIMIT :limit) e
     JOIN alert_instances i ON i.id = e.instance_id
     JOIN alert_rules r ON r.key = i.rule_key
     JOIN checks c ON c.key = i.check_key
     ORDER BY e.xid, e.id`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}

export function readMaintenanceEvents(
  db: Knex,
  teamId: TeamId,
  cursor: Cursor,
  limit: number,
): Promise<Placed<MaintenanceFacts>[]> {
  return queryRows(
    db,
    `SELECT e.xid::text, e.id, e.window_id, e.window_name, e.mode, e.type,
       e.occurrence_starts_at, e.occurrence_ends_at,
       e.created_at
     FROM maintenance_events e WHERE e.team_id = :teamId AND ${afterCursor("e")} ORDER BY e.xid, e.id LIMIT :limit`,
    { teamId, limit, xid: cursor.xid, id: cursor.id },
  );
}
