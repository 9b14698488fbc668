import { type IncidentsQuery, incidentSchema } from "@svc/contract";
import * as z from "zod";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type IncidentRow, incidentFromRow } from "./row.ts";
import { listIncidentRows } from "./store.ts";

/** Returns the list of the team's incidents, newest first. */
export function listIncidents(
  { services, teamId }: TeamContext,
  { state }: Pick<IncidentsQuery, "state">,
): RecordList<IncidentRow> {
  return {
    name: "incidents",
    cursorShape: ["instant", "number"],
    read: (part) => listIncidentRows(services.knex, teamId, { state, ...part }),
    textOf: (row) => JSON.stringify(z.encode(incidentSchema, incidentFromRow(row, services.publicUrl()))),
    cursorOf: ({ openedAt, key }) => [openedAt, key],
  };
}
