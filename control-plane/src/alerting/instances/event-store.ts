/** SQL of alert events: the history of each instance, and a source of the event feed. */
import {
  type AlertEventType,
  type AlertInstanceEvent,
  type AlertInstanceId,
  type AlertState,
  newId,
  type Severity,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset, millisecondsAs } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** Something that happened to an instance. */
export interface AlertEventRow {
  teamId: TeamId;
  instanceId: AlertInstanceId;
  /** null: of a rule without a check. */
  checkKey: number | null;
  type: AlertEventType;
  /** State of the instance after the event. */
  state: AlertState;
  severity: Severity;
  actorId: string | null;
  detail: Record<string, unknown> | null;
  createdAtMs: number;
}

const ALERT_EVENTS = defineRecordset({
  id: "text",
  teamId: "text",
  instanceId: "text",
  checkKey: "bigint",
  type: "text",
  state: "text",
  severity: "text",
  actorId: "text",
  detail: "jsonb",
  createdAtMs: millisecondsAs("created_at"),
});

/** Inserts events. Their ids keep the order of the list within one millisecond. */
export async function insertAlertEvents(trx: Knex, events: readonly AlertEventRow[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => ({ id: newId("alertEvent"), ...event }));
  await trx.raw(ALERT_EVENTS.insertInto("alert_events"), [JSON.stringify(rows)]);
}

/** Returns the events of an instance, oldest first. */
export function readInstanceEvents(db: Knex, instanceId: AlertInstanceId): Promise<AlertInstanceEvent[]> {
  return queryRows(
    db,
    `SELECT id, instance_id, type, actor_id, actor_name(actor_id) AS actor_name, created_at
     FROM alert_events WHERE instance_id = ? ORDER BY created_at, id`,
    [instanceId],
  );
}
