import { type ChannelId, deliverySchema } from "@svc/contract";
import * as z from "zod";
import { getChannelRow } from "../../outbox/channels/get-channel.ts";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type DeliveryRow, listDeliveryRows } from "./delivery-store.ts";

/**
 * Returns the list of the attempts to deliver to a channel, newest first.
 * @throws DomainError `not_found`
 */
export async function listDeliveries(
  { services, teamId }: TeamContext,
  { id }: { id: ChannelId },
): Promise<RecordList<DeliveryRow>> {
  const channel = await getChannelRow(services.knex, teamId, id);
  return {
    name: "deliveries",
    cursorShape: ["number"],
    read: (part) => listDeliveryRows(services.knex, channel.key, part),
    textOf: ({ key: _, ...delivery }) => JSON.stringify(z.encode(deliverySchema, delivery)),
    cursorOf: ({ key }) => [key],
  };
}
