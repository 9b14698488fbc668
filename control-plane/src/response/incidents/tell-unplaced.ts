/** Tells of alerts that belong to no incident: that began before there were incidents, or could not be placed. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { enqueue, readRecipients, recipientsAmong } from "../../outbox/outbox.ts";
import { takesAlertsOnly } from "../../outbox/recipient.ts";

/** As the alert itself, to all of its channels but those that were told at once. */
export async function enqueueAsAlerts(
  trx: Knex,
  teamId: TeamId,
  alerts: readonly QueuedAlert[],
): Promise<void> {
  const channels = await readRecipients(trx, alerts);
  await enqueue(
    trx,
    alerts.map(({ instanceId, kind, channelIds, payload }) => ({
      ...{ teamId, kind, subjectId: instanceId, payload },
      channelKeys: recipientsAmong(channels, teamId, channelIds)
        .filter((channel) => !takesAlertsOnly(channel))
        .map(({ key }) => key),
    })),
  );
}
