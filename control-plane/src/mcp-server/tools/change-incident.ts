import { idSchema, incidentRoutes } from "@svc/contract";
import * as z from "zod";
import { getIncident } from "../../response/incidents/get-incident.ts";
import { defineTool } from "./tool.ts";

/** Says where a person changes an incident, which no key may. */
export const changeIncident = defineTool({
  type: "change_incident",
  title: "Where a person changes an incident",
  description:
    "Acknowledging, closing or reopening an incident, and writing a note on it, needs a signed-in person. This tool changes nothing: it answers the page on which a person does it. Alerts can be acknowledged by acknowledge_alert.",
  routes: [incidentRoutes.get],
  input: z.strictObject({
    incidentId: idSchema("incident").describe("Id of the incident (inc_...)."),
    action: z.enum(["acknowledge", "close", "reopen", "add_note"]),
  }),
  async run({ ctx }, { incidentId, action }) {
    const { incident } = await getIncident(ctx, { id: incidentId });
    return {
      summary: `Nothing was changed: a person has to do this (${action.replace("_", " ")}), signed in to the dashboard, at ${incident.triageUrl}`,
      changed: false,
      triageUrl: incident.triageUrl,
      state: incident.state,
    };
  },
});
