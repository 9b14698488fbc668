/**
 * The outbox: a notification is a row first, written in the transaction of the change that it reports. Workers on each
 * replica are woken by the commit and send it. Nothing here touches the network.
 */
import {
  type AlertInstanceId,
  type IncidentEventId,
  type IncidentId,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import type {
  AlertNotificationKind,
  AlertNotificationPayload,
  IncidentNotificationKind,
  IncidentNotificationPayload,
} from "./payload.ts";

/** Channel of the wake-ups for workers that send. */
export const OUTBOX_CHANNEL = "svc_outbox";

/** A notification and the channels that it is for. */
export interface NotificationToSend {
  teamId: TeamId;
  channelKeys: readonly number[];
  kind: AlertNotificationKind | IncidentNotificationKind;
  /** Incident or alert that the notification is about. A channel gets those about one subject in their order. */
  subjectId: IncidentId | AlertInstanceId;
  payload: AlertNotificationPayload | IncidentNotificationPayload;
  /** True when failed attempts are repeated. Default true. */
  isRetried?: boolean;
  /** Event of the incident that is reported. */
  eventId?: IncidentEventId;
  /** Alert instances that the notification reports. Default: the subject. */
  instanceIds?: readonly AlertInstanceId[];
}

/**
 * Writes notifications into the outbox with one statement and wakes the workers at the commit. Channels that were deleted
 * meanwhile are left out.
 * @returns the number of rows: one per notification and channel
 */
export async function enqueue(trx: Knex, notifications: readonly NotificationToSend[]): Promise<number> {
  const rows = notifications.flatMap(({ channelKeys }, index) =>
    channelKeys.map((channelKey) => ({ id: newId("notification"), index, channel_key: channelKey })),
  );
  if (rows.length === 0) return 0;
  // A payload is sent to the database once, however many channels it is for.
  const contents = notifications.map(
    ({ teamId, kind, subjectId, payload, isRetried = true, eventId, instanceIds }, index) => ({
      index,
      payload,
      kind,
      team_id: teamId,
      subject_id: subjectId,
      is_retried: isRetried,
      event_id: eventId ?? null,
      instance_ids: instanceIds ?? null,
    }),
  );
  const [counted] = await queryRows<{ count: number }>(
    trx,
    `WITH enqueued AS (
       INSERT INTO notifications (id, team_id, channel_key, kind, subject_id, payload, is_retried, event_id, instance_ids)
       SELECT r.id, s.team_id, r.channel_key, s.kind, s.subject_id, s.payload, s.is_retried, s.event_id,
         CASE WHEN s.instance_ids IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(s.instance_ids)) END
       FROM json_to_recordset(?) AS r (id text, index integer, channel_key bigint)
       JOIN json_to_recordset(?) AS s (index integer, team_id text, kind text, subject_id text, payload jsonb,
         is_retried boolean, event_id text, instance_ids json) ON s.index = r.index
       JOIN notification_channels c ON c.key = r.channel_key
       ORDER BY r.index
       RETURNING 1
     ), counted AS (SELECT count(*)::integer AS count FROM enqueued)
     SELECT count, pg_notify(?, '') FROM counted WHERE count > 0`,
    [JSON.stringify(rows), JSON.stringify(contents), OUTBOX_CHANNEL],
  );
  return counted?.count ?? 0;
}
