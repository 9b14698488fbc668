/** SQL of the queue: what happened to alerts and no incident knows yet. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import type { AlertNotification, AlertNotificationKind, AlertNotificationPayload } from "./payload.ts";

/** What workers listen to. */
export const INCIDENT_QUEUE_CHANNEL = "svc_incident_queue";

export interface QueuedAlert {
  key: number;
  instanceId: string;
  kind: AlertNotificationKind;
  channelIds: string[];
  payload: AlertNotificationPayload;
}

/** Puts down what happened to alerts, in its transaction, and wakes the workers at the commit. */
export async function queueForIncidents(trx: Knex, happened: readonly AlertNotification[]): Promise<void> {
  if (happened.length === 0) return;
  await trx.raw(
    `WITH queued AS (
       INSERT INTO incident_queue (team_id, instance_id, kind, channel_ids, payload)
       SELECT "teamId", "instanceId", kind, ARRAY(SELECT DISTINCT json_array_elements_text("channelIds")), payload
       FROM ROWS FROM (json_to_recordset(?::json) AS ("teamId" text, "instanceId" text, kind text, "channelIds" json,
         payload jsonb)) WITH ORDINALITY AS u ("teamId", "instanceId", kind, "channelIds", payload, ordinal)
       ORDER BY ordinal RETURNING 1
     )
     SELECT pg_notify(?, '') FROM (SELECT count(*) FROM queued) AS counted`,
    [JSON.stringify(happened), INCIDENT_QUEUE_CHANNEL],
  );
}

/** Teams with something in the queue, who waits longest first. */
export async function readWaitingTeams(db: Knex, limit: number): Promise<TeamId[]> {
  const rows = await queryRows<{ teamId: TeamId }>(
    db,
    `SELECT team_id AS "teamId" FROM incident_queue GROUP BY team_id ORDER BY min(key) LIMIT ?`,
    [limit],
  );
  return rows.map(({ teamId }) => teamId);
}

/** Oldest first; under the lock of the team's incidents. */
export function readQueue(trx: Knex, teamId: TeamId, limit: number): Promise<QueuedAlert[]> {
  return queryRows(
    trx,
    `SELECT key, instance_id AS "instanceId", kind, channel_ids AS "channelIds", payload
     FROM incident_queue WHERE team_id = ? ORDER BY key LIMIT ?`,
    [teamId, limit],
  );
}

export async function removeFromQueue(trx: Knex, keys: readonly number[]): Promise<void> {
  await trx.raw("DELETE FROM incident_queue WHERE key = ANY(?)", [[...keys]]);
}
