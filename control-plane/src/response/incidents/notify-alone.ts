import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { enqueue } from "../../outbox/outbox.ts";
import { recipientsAmong, wantsAlertsOnly } from "../../outbox/recipient.ts";
import { readRecipients } from "../../outbox/recipient-store.ts";

/**
 * Notifies of alerts that belong to no incident, because they began before there were incidents or could not be placed
 * in one. Each is reported as an alert of its own to all channels of its rule, but those that were notified when it
 * happened.
 */
export async function notifyAlone(trx: Knex, teamId: TeamId, alerts: readonly QueuedAlert[]): Promise<void> {
  const recipients = await readRecipients(trx, alerts);
  await enqueue(
    trx,
    alerts.map(({ instanceId, kind, channelIds, payload }) => ({
      teamId,
      kind,
      subjectId: instanceId,
      payload,
      channelKeys: recipientsAmong(recipients, teamId, channelIds)
        .filter((recipient) => !wantsAlertsOnly(recipient))
        .map(({ key }) => key),
    })),
  );
}
