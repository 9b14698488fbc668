import { idSchema, incidentRoutes } from "@svc/contract";
import * as z from "zod";
import { getIncident as getIncidentOf } from "../../response/incidents/get-incident.ts";
import { alertLine } from "../views/alert-view.ts";
import { incidentView } from "../views/incident-view.ts";
import { defineTool } from "./tool.ts";

/** Alerts that are listed, the oldest; list_alerts has all. */
const ALERTS_MAX = 20;

/** Reads an incident. */
export const getIncident = defineTool({
  type: "get_incident",
  title: "Read an incident",
  description:
    "Reads an incident: its hypothesis with what speaks for it and against it, observations, alerts, and what happened to it. list_notifications tells who was notified of it.",
  routes: [incidentRoutes.get],
  input: z.strictObject({ incidentId: idSchema("incident").describe("Id of the incident (inc_...).") }),
  async run({ ctx }, { incidentId }) {
    const { incident, events, alerts } = await getIncidentOf(ctx, { id: incidentId });
    const { severity, state, openedAt, memberCount, openMemberCount } = incident;
    return {
      summary: `${severity}, ${state}, opened at ${openedAt}, ${openMemberCount} of ${memberCount} alerts open.`,
      incident: incidentView(incident, events),
      alerts: alerts.slice(0, ALERTS_MAX).map(alertLine),
    };
  },
});
