import {
  type AlertInstance,
  type AlertInstanceEvent,
  type AlertInstanceSummary,
  type AlertInstancesQuery,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { instanceFromRow, summaryFromRow } from "./row.ts";
import { findInstanceRow, listInstanceRows, readInstanceEvents } from "./store.ts";

/** A page of the team's instances, newest first. */
export async function listInstances(
  { knex }: Services,
  teamId: TeamId,
  query: AlertInstancesQuery,
): Promise<AlertInstanceSummary[]> {
  return (await listInstanceRows(knex, teamId, query)).map(summaryFromRow);
}

/** An instance with what happened to it, oldest first. @throws DomainError not_found */
export async function getInstance(
  { knex }: Services,
  teamId: TeamId,
  id: string,
): Promise<{ instance: AlertInstance; events: AlertInstanceEvent[] }> {
  const row = await findInstanceRow(knex, teamId, id);
  if (!row) throw notFound("Alert instance");
  return { instance: instanceFromRow(row), events: await readInstanceEvents(knex, id) };
}
