import type { Knex } from "knex";
import { queueForIncidents } from "./incident-queue-store.ts";
import { enqueue } from "./outbox.ts";
import type { AlertNotification } from "./payload.ts";
import { recipientsAmong, wantsAlertsOnly } from "./recipient.ts";
import { readRecipients } from "./recipient-store.ts";

/**
 * Reports transitions of alerts, in their transaction. Each goes into the queue from which incidents are made, which notify
 * most channels; channels that take alerts only are notified at once. Two or three statements, however many transitions.
 * Those of one instance reach a channel in the order of the calls, so call it under the instance's lock.
 * @returns the number of notifications that were put into the outbox at once
 */
export async function reportAlerts(trx: Knex, alerts: readonly AlertNotification[]): Promise<number> {
  if (alerts.length === 0) return 0;
  await queueForIncidents(trx, alerts);
  const recipients = await readRecipients(trx, alerts);
  return enqueue(
    trx,
    alerts.map(({ teamId, channelIds, kind, instanceId, payload }) => ({
      teamId,
      kind,
      subjectId: instanceId,
      payload,
      channelKeys: recipientsAmong(recipients, teamId, channelIds)
        .filter(wantsAlertsOnly)
        .map(({ key }) => key),
    })),
  );
}
