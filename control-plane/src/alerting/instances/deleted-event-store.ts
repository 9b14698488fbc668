/** SQL of the alert events of deleted checks: the feed shows them, and the export sends those that it has not sent yet. */
import { type AlertEventType, type AlertInstanceId, newId } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset, millisecondsAs } from "../../platform/db/recordset.ts";

/** Most events of a check that are kept when it is deleted: the newest ones. */
const EVENTS_MAX = 10_000;

/** Events that show the context of their instance. */
const WITH_CONTEXT: readonly AlertEventType[] = ["triggered", "escalated"];

/**
 * Copies the newest alert events of a check that is being deleted, with all that is shown of their instances and rules,
 * which go with the check. The copies keep the ids and the transactions of the events, so that the export sends each
 * event once. Call it under the check's lock, after its open instances were resolved.
 */
export async function keepEventsOfDeletedCheck(trx: Knex, checkKey: number): Promise<void> {
  await trx.raw(
    `INSERT INTO deleted_check_alert_events (id, team_id, check_key, instance_id, rule_id, rule_name, type, state, severity,
       actor_id, detail, context, summary, trace_id, created_at, xid)
     SELECT e.id, e.team_id, e.check_key, i.id, r.id, r.name, e.type, e.state, e.severity, e.actor_id, e.detail,
       CASE WHEN e.type = ANY(:withContext) THEN i.context END, i.context ->> 'summary', i.triggering_trace_id,
       e.created_at, e.xid
     FROM (SELECT * FROM alert_events WHERE check_key = :checkKey ORDER BY created_at DESC, id DESC LIMIT :limit) e
     JOIN alert_instances i ON i.id = e.instance_id
     JOIN alert_rules r ON r.key = i.rule_key`,
    { checkKey, withContext: [...WITH_CONTEXT], limit: EVENTS_MAX },
  );
}

/** A notification that was delivered after its instance went with the check. */
export interface LateNotification {
  instanceId: AlertInstanceId;
  detail: Record<string, unknown>;
  createdAtMs: number;
}

const LATE_NOTIFICATIONS = defineRecordset({
  id: "text",
  instanceId: "text",
  detail: "jsonb",
  createdAtMs: millisecondsAs("created_at"),
});

/**
 * Records an event `notified` for each notification, with the state that its instance ended in. Unknown instances are
 * passed over.
 */
export async function recordLateNotifications(
  trx: Knex,
  notifications: readonly LateNotification[],
): Promise<void> {
  if (notifications.length === 0) return;
  const rows = notifications.map((notification) => ({ id: newId("alertEvent"), ...notification }));
  await trx.raw(
    `INSERT INTO deleted_check_alert_events (id, team_id, check_key, instance_id, rule_id, rule_name, type, state, severity,
       detail, summary, trace_id, created_at, xid)
     SELECT n.id, e.team_id, e.check_key, e.instance_id, e.rule_id, e.rule_name, 'notified', e.state, e.severity,
       n.detail, e.summary, e.trace_id, to_timestamp(n."createdAtMs" / 1000.0), pg_current_xact_id()
     FROM ${LATE_NOTIFICATIONS.as("n")}
     CROSS JOIN LATERAL (SELECT * FROM deleted_check_alert_events WHERE instance_id = n."instanceId"
                         ORDER BY created_at DESC, id DESC LIMIT 1) e`,
    [JSON.stringify(rows)],
  );
}
