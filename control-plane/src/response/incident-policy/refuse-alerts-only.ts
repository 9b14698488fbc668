import { invalidField } from "@svc/contract";
import type { Knex } from "knex";
import { namesOfAlertsOnly } from "./store.ts";

/**
 * Refuses channels that take alerts only, which no incident event would reach.
 * @param field field of the request that names them
 * @throws DomainError `invalid`, naming them
 */
export async function refuseAlertsOnly(
  db: Knex,
  channelIds: readonly string[],
  field: string,
): Promise<void> {
  const alertsOnly = await namesOfAlertsOnly(db, channelIds);
  if (alertsOnly.length > 0)
    throw invalidField(
      field,
      `with incidentSubscribed: false no incident event is sent: ${alertsOnly.join(", ")}`,
    );
}
