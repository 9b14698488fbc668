import { type ChannelId, type Delivery, type DeliveryId, DomainError, isId, notFound } from "@svc/contract";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deliver } from "./deliver.ts";
import { findNotificationKey, getDelivery } from "./delivery-store.ts";
import type { DeliveryTools } from "./delivery-tools.ts";
import { claimNotification } from "./queue-store.ts";
import { HAND_LEASE_MS } from "./send-test.ts";

export interface RedeliverInput {
  id: ChannelId;
  deliveryId: DeliveryId;
  tools: DeliveryTools;
}

/**
 * Makes one more attempt at the notification of an earlier delivery, with that notification's id and the channel's present
 * settings, and waits for the outcome.
 * @throws DomainError `not_found`; `conflict` while a worker holds the notification
 */
export async function redeliver(
  { services, teamId }: TeamContext,
  { id, deliveryId, tools }: RedeliverInput,
): Promise<Delivery> {
  const { knex } = services;
  const channel = await getChannelRow(knex, teamId, id);
  const key = isId("delivery", deliveryId)
    ? await findNotificationKey(knex, channel.key, deliveryId)
    : undefined;
  if (key === undefined) throw notFound("Delivery");
  const claimed = await claimNotification(knex, key, { owner: tools.owner, leaseMs: HAND_LEASE_MS });
  if (!claimed) throw new DomainError("conflict", "The notification is being delivered at this moment");
  return getDelivery(knex, await deliver(tools, claimed));
}
