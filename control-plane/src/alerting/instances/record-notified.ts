import type { AlertInstanceId, AlertState, ChannelId, Severity, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { recordLateNotifications } from "./deleted-event-store.ts";
import { type AlertEventRow, insertAlertEvents } from "./event-store.ts";

/** A notification about an instance that reached its channel. */
export interface DeliveredNotification {
  instanceId: AlertInstanceId;
  /** Kind of the notification: triggered, recovered, ... */
  kind: string;
  channelId: ChannelId;
  channelName: string;
  channelType: string;
}

interface NotifiedInstance {
  id: AlertInstanceId;
  teamId: TeamId;
  checkKey: number;
  state: AlertState;
  severity: Severity;
}

/**
 * Counts delivered notifications of instances and records an event for each. Workers of the outbox call it in the
 * transaction that marks the notifications delivered. Those of deleted checks are recorded among the events that
 * outlive them.
 */
export async function recordNotified(
  trx: Knex,
  delivered: readonly DeliveredNotification[],
  nowMs: number,
): Promise<void> {
  const ids = delivered.map(({ instanceId }) => instanceId).sort();
  const instances = await queryRows<NotifiedInstance>(
    trx,
    `UPDATE alert_instances i SET notification_count = notification_count + u.count
     FROM (SELECT id, count(*)::integer AS count FROM unnest(?::text[]) AS id GROUP BY id) u WHERE i.id = u.id
     RETURNING i.id, i.team_id, i.check_key, i.state, i.severity`,
    [ids],
  );
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  const events = delivered.flatMap(({ instanceId, ...detail }): AlertEventRow[] => {
    const instance = byId.get(instanceId);
    if (!instance) return [];
    const { id, ...rest } = instance;
    return [{ ...rest, instanceId: id, type: "notified", actorId: null, detail, createdAtMs: nowMs }];
  });
  await insertAlertEvents(trx, events);
  await recordLateNotifications(
    trx,
    delivered.flatMap(({ instanceId, ...detail }) =>
      byId.has(instanceId) ? [] : [{ instanceId, detail, createdAtMs: nowMs }],
    ),
  );
}
