import { type AlertInstance, type AlertInstanceEvent, type AlertInstanceId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { readInstanceEvents } from "./event-store.ts";
import { instanceFromRow } from "./row.ts";
import { findInstanceRow } from "./store.ts";

/**
 * Returns an instance with its history, oldest event first.
 * @throws DomainError `not_found`
 */
export async function getInstance(
  { services, teamId }: TeamContext,
  { id }: { id: AlertInstanceId },
): Promise<{ instance: AlertInstance; events: AlertInstanceEvent[] }> {
  const row = await findInstanceRow(services.knex, teamId, id);
  if (!row) throw notFound("Alert instance");
  return { instance: instanceFromRow(row), events: await readInstanceEvents(services.knex, id) };
}
