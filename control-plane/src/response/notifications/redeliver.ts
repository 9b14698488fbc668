import { type ChannelId, type Delivery, type DeliveryId, DomainError, isId, notFound } from "@svc/contract";
import type { Knex } from "knex";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { deliver } from "./deliver.ts";
import { findNotificationKey, getDelivery } from "./delivery-store.ts";
import type { DeliveryTools } from "./delivery-tools.ts";
import { claimNotification, countAttempts } from "./queue-store.ts";
import { HAND_LEASE_MS } from "./send-test.ts";

/** Most attempts at one notification: many more than the retries of an hour. */
const ATTEMPTS_MAX = 50;

/** The channel, and an earlier delivery of the notification to send again. */
export interface RedeliverInput {
  id: ChannelId;
  deliveryId: DeliveryId;
  tools: DeliveryTools;
}

/**
 * Makes one more attempt at the notification of an earlier delivery, with that notification's id and the channel's present
 * settings, and waits for the outcome.
 * @throws DomainError `not_found`; `conflict` while a worker holds the notification; `rate_limited` beyond the budgets of
 *   deliveries by hand; `limit_exceeded` after the largest number of attempts
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
  await assertAttemptsLeft(knex, key);
  tools.handBudgets.spend(teamId, channel.id);
  const claimed = await claimNotification(knex, key, { owner: tools.owner, leaseMs: HAND_LEASE_MS });
  if (!claimed) throw new DomainError("conflict", "The notification is being delivered at this moment");
  return getDelivery(knex, await deliver(tools, claimed));
}

async function assertAttemptsLeft(db: Knex, key: number): Promise<void> {
  if ((await countAttempts(db, key)) >= ATTEMPTS_MAX)
    throw new DomainError(
      "limit_exceeded",
      `The notification was attempted ${ATTEMPTS_MAX} times, which is the most; send a test to try the channel out`,
    );
}
