/** SQL by which the notifications about one subject are read. */
import type { Notification, NotificationsQuery, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";

/** A notification with its key, by which the list is ordered. */
export type NotificationRow = Notification & { key: number };

/**
 * Returns a part of the team's notifications that tell of a subject, newest first. Those of an alert's incident tell of the
 * alert when they name it among their instances.
 */
export function listNotificationRows(
  db: Knex,
  teamId: TeamId,
  { subjectId, after, rowsMax, offset }: Pick<NotificationsQuery, "subjectId"> & ListPart,
): Promise<NotificationRow[]> {
  return queryRows(
    db,
    `SELECT n.key, n.id, c.id AS channel_id, c.name AS channel_name, c.type AS channel_type,
       regexp_replace(n.kind, '^incident[.]', '') AS event_type, n.subject_id, n.status,
       coalesce(d.attempt, 0) AS attempts, d.http_status, d.error, n.created_at, d.created_at AS attempted_at
     FROM notifications n
     JOIN notification_channels c ON c.key = n.channel_key
     LEFT JOIN LATERAL (
       SELECT attempt, http_status, error, created_at FROM notification_deliveries
       WHERE notification_key = n.key ORDER BY key DESC LIMIT 1
     ) d ON true
     WHERE n.team_id = :teamId AND NOT n.is_test
       AND n.subject_id = ANY(ARRAY[CAST(:subjectId AS text)] || ARRAY(
         SELECT i.id FROM incident_members m JOIN incidents i ON i.key = m.incident_key
         WHERE m.instance_id = :subjectId AND i.team_id = :teamId))
       AND (n.subject_id = :subjectId OR n.instance_ids @> ARRAY[CAST(:subjectId AS text)])
       ${after ? "AND n.key < :afterKey" : ""}
     ORDER BY n.key DESC LIMIT :rowsMax OFFSET :offset`,
    { teamId, subjectId, rowsMax, offset, ...(after && { afterKey: after[0] }) },
  );
}
