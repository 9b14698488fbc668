import { INCIDENT_STATES, type Incident, incidentRoutes } from "@svc/contract";
import * as z from "zod";
import { listIncidents as listIncidentsOf } from "../../response/incidents/list-incidents.ts";
import { readPage } from "../answers/page.ts";
import { incidentLine } from "../views/incident-view.ts";
import { alertIdInput, pageInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Lists incidents. */
export const listIncidents = defineTool({
  type: "list_incidents",
  title: "List incidents",
  description:
    "Lists incidents (alerts with one cause), newest first, each with its hypothesis; by state, or the incident of an alert.",
  routes: [incidentRoutes.list],
  input: z.strictObject({
    state: z.array(z.enum(INCIDENT_STATES)).min(1).max(4).optional(),
    alertId: alertIdInput.optional(),
    ...pageInput,
  }),
  async run({ ctx }, { limit, next, ...filter }) {
    const page = await readPage({
      list: listIncidentsOf(ctx, filter),
      limit,
      next,
      view: (incident: Incident) => incidentLine(incident),
    });
    return {
      summary: `${page.records.length} incidents, newest first.`,
      incidents: page.records,
      next: page.next,
    };
  },
});
