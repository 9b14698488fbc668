import {
  type AlertInstanceSummary,
  type Incident,
  type IncidentEvent,
  type IncidentsQuery,
  notFound,
  type TeamId,
} from "@svc/contract";
import { summaryFromRow } from "../../alerting/instances/row.ts";
import { readInstancesById } from "../../alerting/instances/store.ts";
import type { Services } from "../../platform/services.ts";
import { readIncidentEvents } from "./event-store.ts";
import { readMemberIds } from "./member-store.ts";
import { incidentFromRow } from "./row.ts";
import { findIncidentRow, listIncidentRows } from "./store.ts";

/** The team's incidents, newest first. */
export async function listIncidents(
  { knex, publicUrl }: Services,
  teamId: TeamId,
  query: IncidentsQuery,
): Promise<Incident[]> {
  const rows = await listIncidentRows(knex, teamId, query);
  return rows.map((row) => incidentFromRow(row, publicUrl()));
}

/**
 * An incident with what happened to it, oldest first, and its alerts: the oldest ones, without those that are gone with
 * their check.
 * @throws DomainError not_found
 */
export async function getIncident(
  { knex, publicUrl }: Services,
  teamId: TeamId,
  id: string,
): Promise<{ incident: Incident; events: IncidentEvent[]; alerts: AlertInstanceSummary[] }> {
  const row = await findIncidentRow(knex, teamId, id);
  if (!row) throw notFound("Incident");
  const members = await readMemberIds(knex, row.key);
  const alerts = await readInstancesById(knex, teamId, members);
  return {
    incident: incidentFromRow(row, publicUrl()),
    events: await readIncidentEvents(knex, row),
    alerts: alerts.map(summaryFromRow),
  };
}
