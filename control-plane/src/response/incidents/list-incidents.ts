import { type IncidentsQuery, incidentSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type IncidentRow, incidentFromRow } from "./row.ts";
import { listIncidentRows } from "./store.ts";

/** Returns the list of the team's incidents that the filter names, newest first. */
export function listIncidents(
  { services, teamId }: TeamContext,
  { state, alertId }: Pick<IncidentsQuery, "state" | "alertId">,
): RecordList<IncidentRow> {
  return {
    name: "incidents",
    cursorShape: ["instant", "number"],
    read: (part) => listIncidentRows(services.knex, teamId, { state, alertId, ...part }),
    textOf: (row) => JSON.stringify(z.encode(incidentSchema, incidentFromRow(row, services.publicUrl()))),
    cursorOf: ({ openedAt, key }) => [openedAt, key],
  };
}
