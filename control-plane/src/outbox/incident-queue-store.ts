/** SQL of the incident queue: transitions of alerts that no incident has taken in yet. */
import type { AlertInstanceId, ChannelId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../platform/db/recordset.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { AlertNotification, AlertNotificationKind, AlertNotificationPayload } from "./payload.ts";

/** Channel of the wake-ups for workers that make incidents. */
export const INCIDENT_QUEUE_CHANNEL = "svc_incident_queue";

/** An entry of the queue. */
export interface QueuedAlert {
  key: number;
  instanceId: AlertInstanceId;
  kind: AlertNotificationKind;
  channelIds: ChannelId[];
  payload: AlertNotificationPayload;
}

const QUEUED_ALERTS = defineRecordset({
  teamId: "text",
  instanceId: "text",
  kind: "text",
  channelIds: "json",
  payload: "jsonb",
});

/** Appends transitions of alerts to the queue, in the transactions that made them, and wakes the workers at the commit. */
export async function queueForIncidents(trx: Knex, alerts: readonly AlertNotification[]): Promise<void> {
  if (alerts.length === 0) return;
  await trx.raw(
    `WITH queued AS (
       INSERT INTO incident_queue (team_id, instance_id, kind, channel_ids, payload)
       SELECT "teamId", "instanceId", kind, ARRAY(SELECT DISTINCT json_array_elements_text("channelIds")), payload
       FROM ${QUEUED_ALERTS.inOrder("u")}
       ORDER BY ordinal RETURNING 1
     )
     SELECT pg_notify(?, '') FROM (SELECT count(*) FROM queued) AS counted`,
    [JSON.stringify(alerts), INCIDENT_QUEUE_CHANNEL],
  );
}

/** Returns the teams with entries in the queue, the one that has waited longest first. */
export async function readWaitingTeams(db: Knex, limit: number): Promise<TeamId[]> {
  const rows = await queryRows<{ teamId: TeamId }>(
    db,
    "SELECT team_id FROM incident_queue GROUP BY team_id ORDER BY min(key) LIMIT ?",
    [limit],
  );
  return rows.map(({ teamId }) => teamId);
}

/** Returns the team's oldest entries in their order. The caller holds the lock of the team's incidents. */
export function readQueue(trx: Knex, teamId: TeamId, limit: number): Promise<QueuedAlert[]> {
  return queryRows(
    trx,
    `SELECT key, instance_id, kind, channel_ids, payload
     FROM incident_queue WHERE team_id = ? ORDER BY key LIMIT ?`,
    [teamId, limit],
  );
}

/** Removes entries from the queue. */
export async function removeFromQueue(trx: Knex, keys: readonly number[]): Promise<void> {
  await trx.raw("DELETE FROM incident_queue WHERE key = ANY(?)", [[...keys]]);
}
