/**
 * The outbox: what is to be said to a channel is a row first, in the transaction of what it tells of. Workers on each
 * replica are woken at its commit and send it. Nothing here touches the network.
 */
import { newId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../db/rows.ts";
import type { AlertNotificationKind, AlertNotificationPayload } from "./payload.ts";

/** What workers listen to. */
export const OUTBOX_CHANNEL = "svc_outbox";

/** Something that happened to an alert instance, to be told to channels. */
export interface AlertNotification {
  teamId: string;
  /** `nch_...`; those that are not the team's (deleted meanwhile) are passed over. */
  channelIds: readonly string[];
  kind: AlertNotificationKind;
  instanceId: string;
  payload: AlertNotificationPayload;
}

/** One notification; see {@link enqueueAlertNotifications}. */
export async function enqueueAlertNotification(trx: Knex, notification: AlertNotification): Promise<number> {
  return enqueueAlertNotifications(trx, [notification]);
}

/**
 * Puts notifications into the outbox and wakes the workers at the commit: one statement, however many there are. Those
 * about one instance reach a channel in the order in which they were put here, so write them under the instance's lock.
 * @returns how many rows there are now to send (notifications times channels)
 */
export async function enqueueAlertNotifications(
  trx: Knex,
  notifications: readonly AlertNotification[],
): Promise<number> {
  const rows = notifications.flatMap((notification, index) =>
    [...new Set(notification.channelIds)].map((channelId) => ({
      id: newId("notification"),
      index,
      channel_id: channelId,
    })),
  );
  if (rows.length === 0) return 0;
  // The payload goes over once, however many channels it is for.
  const said = notifications.map(({ teamId, kind, instanceId, payload }, index) => ({
    ...{ index, payload, kind },
    ...{ team_id: teamId, subject_id: instanceId },
  }));
  const [counted] = await queryRows<{ count: number }>(
    trx,
    `WITH enqueued AS (
       INSERT INTO notifications (id, team_id, channel_key, kind, subject_id, payload)
       SELECT r.id, s.team_id, c.key, s.kind, s.subject_id, s.payload
       FROM json_to_recordset(?) AS r (id text, index integer, channel_id text)
       JOIN json_to_recordset(?) AS s (index integer, team_id text, kind text, subject_id text, payload jsonb)
         ON s.index = r.index
       JOIN notification_channels c ON c.id = r.channel_id AND c.team_id = s.team_id
       ORDER BY r.index
       RETURNING 1
     ), counted AS (SELECT count(*)::integer AS count FROM enqueued)
     SELECT count, pg_notify(?, '') FROM counted WHERE count > 0`,
    [JSON.stringify(rows), JSON.stringify(said), OUTBOX_CHANNEL],
  );
  return counted?.count ?? 0;
}
