import type { Incident, IncidentsQuery } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { incidentFromRow } from "./row.ts";
import { listIncidentRows } from "./store.ts";

/** Returns a page of the team's incidents, newest first. */
export async function listIncidents(
  { services, teamId }: TeamContext,
  query: IncidentsQuery,
): Promise<Incident[]> {
  const rows = await listIncidentRows(services.knex, teamId, query);
  return rows.map((row) => incidentFromRow(row, services.publicUrl()));
}
