/**
 * SQL of held alerts that wait for an incident of their location. They wait in the rows of their holds: one whose hold has ended, or whose check
 * has been deleted, waits no longer. Workers that don't know of holds pass over them.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../platform/db/recordset.ts";
import { queryRows } from "../platform/db/rows.ts";
import { INCIDENT_QUEUE_CHANNEL, type QueuedAlert } from "./incident-queue-store.ts";
import type { AlertNotification } from "./payload.ts";

/** An alert that is held back because of locations. */
export interface QueuedHeldAlert extends Omit<QueuedAlert, "key" | "kind"> {
  /** Where its check failed as it began. */
  locationKeys: number[];
  /** False when it has ended by now. */
  isOpen: boolean;
}

const HELD_ALERTS = defineRecordset({ instanceId: "text", channelIds: "json", payload: "jsonb" });

/** Hands held alerts to those who open the incident of their location, in the transactions that changed them, and wakes the workers at the commit. */
export async function queueHeldAlerts(trx: Knex, alerts: readonly AlertNotification[]): Promise<void> {
  if (alerts.length === 0) return;
  await trx.raw(
    `WITH queued AS (
       UPDATE location_holds lh SET payload = u.payload, queued_at = CAST(u.payload ->> 'occurredAt' AS timestamptz),
         channel_ids = ARRAY(SELECT DISTINCT json_array_elements_text(u."channelIds"))
       FROM ${HELD_ALERTS.as("u")} WHERE lh.instance_id = u."instanceId" RETURNING 1
     )
     SELECT pg_notify(?, '') FROM (SELECT count(*) FROM queued) AS counted`,
    [JSON.stringify(alerts), INCIDENT_QUEUE_CHANNEL],
  );
}

/**
 * Takes the team's oldest waiting alerts out of the queue, and locks their holds. Those whose hold is being ended are passed over. The caller
 * holds the lock of the team's incidents.
 */
export function claimHeldAlerts(trx: Knex, teamId: TeamId, limit: number): Promise<QueuedHeldAlert[]> {
  return queryRows(
    trx,
    `WITH waiting AS (
       SELECT lh.instance_id, lh.location_keys, lh.channel_ids, lh.payload FROM location_holds lh
       WHERE lh.team_id = ? AND lh.payload IS NOT NULL ORDER BY lh.instance_id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED
     ), taken AS (
       UPDATE location_holds lh SET payload = NULL, channel_ids = NULL FROM waiting w
       WHERE lh.instance_id = w.instance_id RETURNING w.*
     )
     SELECT t.*, i.state IN ('active', 'acknowledged') AS is_open
     FROM taken t JOIN alert_instances i ON i.id = t.instance_id ORDER BY t.instance_id`,
    [teamId, limit],
  );
}

/** Returns teams whose held alerts wait. */
export async function readTeamsWithHeldAlerts(db: Knex, limit: number): Promise<TeamId[]> {
  const rows = await queryRows<{ teamId: TeamId }>(
    db,
    "SELECT DISTINCT team_id FROM location_holds WHERE payload IS NOT NULL LIMIT ?",
    [limit],
  );
  return rows.map(({ teamId }) => teamId);
}
