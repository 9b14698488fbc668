/**
 * The outbox: a notification is a row first, written in the transaction of the change that it reports. Workers on each
 * replica are woken by the commit and send it. Nothing here touches the network.
 */
import {
  type AlertInstanceId,
  type IncidentEventId,
  type IncidentId,
  type LocationId,
  newId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../platform/db/recordset.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { NotificationKind, NotificationPayload, ReportSubject } from "./payload.ts";

/** Channel of the wake-ups for workers that send. */
export const OUTBOX_CHANNEL = "svc_outbox";

/** A notification and the channels that it is for. */
export interface NotificationToSend {
  teamId: TeamId;
  channelKeys: readonly number[];
  kind: NotificationKind;
  /** Incident, alert, location or report that the notification is about. A channel gets those about one subject in their order. */
  subjectId: IncidentId | AlertInstanceId | LocationId | ReportSubject;
  payload: NotificationPayload;
  /** True when failed attempts are repeated. Default true. */
  isRetried?: boolean;
  /** Event of the incident that is reported. */
  eventId?: IncidentEventId;
  /** Alert instances that the notification reports. Default: the subject. */
  instanceIds?: readonly AlertInstanceId[];
}

const ROWS = defineRecordset({ id: "text", index: "integer", channelKey: "bigint" });
const CONTENTS = defineRecordset({
  index: "integer",
  teamId: "text",
  kind: "text",
  subjectId: "text",
  payload: "jsonb",
  isRetried: "boolean",
  eventId: "text",
  instanceIds: "json",
});

/**
 * Writes notifications into the outbox with one statement and wakes the workers at the commit. Channels that were deleted
 * meanwhile are left out.
 * @returns the number of rows: one per notification and channel
 */
export async function enqueue(trx: Knex, notifications: readonly NotificationToSend[]): Promise<number> {
  const rows = notifications.flatMap(({ channelKeys }, index) =>
    channelKeys.map((channelKey) => ({ id: newId("notification"), index, channelKey })),
  );
  if (rows.length === 0) return 0;
  // A payload is sent to the database once, however many channels it is for.
  const contents = notifications.map(
    ({ teamId, kind, subjectId, payload, isRetried = true, eventId, instanceIds }, index) => ({
      index,
      payload,
      kind,
      teamId,
      subjectId,
      isRetried,
      eventId: eventId ?? null,
      instanceIds: instanceIds ?? null,
    }),
  );
  const [counted] = await queryRows<{ count: number }>(
    trx,
    `WITH enqueued AS (
       INSERT INTO notifications (id, team_id, channel_key, kind, subject_id, payload, is_retried, event_id, instance_ids)
       SELECT r.id, s."teamId", r."channelKey", s.kind, s."subjectId", s.payload, s."isRetried", s."eventId",
         CASE WHEN s."instanceIds" IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(s."instanceIds")) END
       FROM ${ROWS.as("r")} JOIN ${CONTENTS.as("s")} ON s.index = r.index
       JOIN notification_channels c ON c.key = r."channelKey"
       ORDER BY r.index
       RETURNING 1
     ), counted AS (SELECT count(*)::integer AS count FROM enqueued)
     SELECT count, pg_notify(?, '') FROM counted WHERE count > 0`,
    [JSON.stringify(rows), JSON.stringify(contents), OUTBOX_CHANNEL],
  );
  return counted?.count ?? 0;
}
