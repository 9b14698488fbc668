/** A notification handed over once more, by hand. */
import { type Delivery, DomainError, isId, notFound, type TeamId } from "@svc/contract";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { Services } from "../../platform/services.ts";
import { type DeliveryTools, deliver } from "./deliver.ts";
import { claimNotification, findNotificationOf, getDelivery } from "./store.ts";
import { HAND_LEASE_MS } from "./test-notification.ts";

/**
 * Makes one more attempt at the notification of an earlier delivery, with the same notification id, by the channel's
 * present settings, and waits for its outcome.
 * @throws DomainError not_found, conflict while a worker is at it
 */
export async function redeliver(
  { knex }: Services,
  tools: DeliveryTools,
  teamId: TeamId,
  channelId: string,
  deliveryId: string,
): Promise<Delivery> {
  const channel = await getChannelRow(knex, teamId, channelId);
  const key = isId("delivery", deliveryId)
    ? await findNotificationOf(knex, channel.key, deliveryId)
    : undefined;
  if (key === undefined) throw notFound("Delivery");
  const claimed = await claimNotification(knex, key, { owner: tools.owner, leaseMs: HAND_LEASE_MS });
  if (!claimed) throw new DomainError("conflict", "The notification is being delivered at this moment");
  return getDelivery(knex, await deliver(tools, claimed));
}
