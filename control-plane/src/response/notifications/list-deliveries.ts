import type { ChannelId, Delivery } from "@svc/contract";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { listDeliveryRows } from "./delivery-store.ts";

export interface ListDeliveriesInput {
  id: ChannelId;
  limit: number;
  offset: number;
}

/**
 * Returns a page of the attempts to deliver to a channel, newest first.
 * @throws DomainError `not_found`
 */
export async function listDeliveries(
  { services, teamId }: TeamContext,
  { id, limit, offset }: ListDeliveriesInput,
): Promise<Delivery[]> {
  const channel = await getChannelRow(services.knex, teamId, id);
  return listDeliveryRows(services.knex, channel.key, { limit, offset });
}
