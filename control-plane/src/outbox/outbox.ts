/**
 * The outbox: what is to be said to a channel is a row first, in the transaction of what it tells of. Workers on each
 * replica are woken at its commit and send it. Nothing here touches the network.
 */
import { type ChannelType, newId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../platform/db/rows.ts";
import { queueForIncidents } from "./incident-queue-store.ts";
import type {
  AlertNotification,
  AlertNotificationKind,
  AlertNotificationPayload,
  IncidentNotificationKind,
  IncidentNotificationPayload,
} from "./payload.ts";
import { takesAlertsOnly } from "./recipient.ts";

/** What workers listen to. */
export const OUTBOX_CHANNEL = "svc_outbox";

/** One; see {@link enqueueAlertNotifications}. */
export async function enqueueAlertNotification(trx: Knex, notification: AlertNotification): Promise<number> {
  return enqueueAlertNotifications(trx, [notification]);
}

/**
 * Tells of alerts: channels that take single alerts at once, all others by way of the incident that the alert is part of.
 * Two statements, however many there are; the workers are woken at the commit. Those about one instance reach a channel in
 * the order in which they were put here, so write them under the instance's lock.
 * @returns how many rows there are now to send without an incident (notifications times channels)
 */
export async function enqueueAlertNotifications(
  trx: Knex,
  notifications: readonly AlertNotification[],
): Promise<number> {
  if (notifications.length === 0) return 0;
  await queueForIncidents(trx, notifications);
  const channels = await readRecipients(trx, notifications);
  return enqueue(
    trx,
    notifications.map(({ teamId, channelIds, kind, instanceId, payload }) => {
      const recipients = recipientsAmong(channels, teamId, channelIds).filter(takesAlertsOnly);
      return { teamId, kind, subjectId: instanceId, payload, channelKeys: recipients.map(({ key }) => key) };
    }),
  );
}

/** A channel as those need it who decide what it is told. */
export interface RecipientChannel {
  key: number;
  id: string;
  teamId: TeamId;
  type: ChannelType;
  isSubscribed: boolean;
}

/** The channels that these name, by id; those that are not the team's (deleted meanwhile) are missing. */
export async function readRecipients(
  db: Knex,
  named: readonly { channelIds: readonly string[] }[],
): Promise<Map<string, RecipientChannel>> {
  const ids = new Set(named.flatMap(({ channelIds }) => channelIds));
  if (ids.size === 0) return new Map();
  const rows = await queryRows<RecipientChannel>(
    db,
    `SELECT key, id, team_id AS "teamId", type, incident_subscribed AS "isSubscribed"
     FROM notification_channels WHERE id = ANY(?)`,
    [[...ids]],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Those of the team, each once. */
export function recipientsAmong(
  channels: ReadonlyMap<string, RecipientChannel>,
  teamId: TeamId,
  channelIds: readonly string[],
): RecipientChannel[] {
  return [...new Set(channelIds)].flatMap((id) => {
    const channel = channels.get(id);
    return channel?.teamId === teamId ? [channel] : [];
  });
}

/** Something to be said, and to which channels. */
export interface NotificationToSend {
  teamId: TeamId;
  channelKeys: readonly number[];
  kind: AlertNotificationKind | IncidentNotificationKind;
  /** What it is about: told in order, one after the other. */
  subjectId: string;
  payload: AlertNotificationPayload | IncidentNotificationPayload;
  /** Default true. */
  isRetried?: boolean;
  /** Of an incident event: a channel gets it once. */
  eventId?: string;
  /** The alert instances that it tells of; default: the subject. */
  instanceIds?: readonly string[];
}

/** Puts them into the outbox: one statement; wakes the workers at the commit. @returns how many rows there are to send */
export async function enqueue(trx: Knex, notifications: readonly NotificationToSend[]): Promise<number> {
  const rows = notifications.flatMap(({ channelKeys }, index) =>
    channelKeys.map((channelKey) => ({ id: newId("notification"), index, channel_key: channelKey })),
  );
  if (rows.length === 0) return 0;
  // The payload goes over once, however many channels it is for.
  const said = notifications.map(
    ({ teamId, kind, subjectId, payload, isRetried = true, eventId, instanceIds }, index) => ({
      ...{ index, payload, kind, team_id: teamId, subject_id: subjectId, is_retried: isRetried },
      ...{ event_id: eventId ?? null, instance_ids: instanceIds ?? null },
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
       -- One that was deleted meanwhile is passed over.
       JOIN notification_channels c ON c.key = r.channel_key
       ORDER BY r.index
       RETURNING 1
     ), counted AS (SELECT count(*)::integer AS count FROM enqueued)
     SELECT count, pg_notify(?, '') FROM counted WHERE count > 0`,
    [JSON.stringify(rows), JSON.stringify(said), OUTBOX_CHANNEL],
  );
  return counted?.count ?? 0;
}
