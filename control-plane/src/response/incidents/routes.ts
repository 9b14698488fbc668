/** /api/incidents: reading for all of the team, the lifecycle for signed-in people only. */
import {
  addIncidentNoteSchema,
  alertInstanceSummarySchema,
  errorSchema,
  INCIDENT_STATES,
  incidentEventSchema,
  incidentNoteSchema,
  incidentSchema,
  incidentsQuerySchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Caller } from "../../platform/http/caller.ts";
import type { Services } from "../../platform/services.ts";
import { acknowledgeIncident } from "./acknowledge-incident.ts";
import { addNote } from "./add-note.ts";
import { closeIncident } from "./close-incident.ts";
import { getIncident, listIncidents } from "./get-incident.ts";
import { reopenIncident } from "./reopen-incident.ts";

const tags = ["Incidents"];
const params = z.object({ id: z.string() });
const config = { access: "incident_session" } as const;

const ACTIONS = [
  ["acknowledge", "Acknowledge an incident", acknowledgeIncident],
  ["close", "Close an incident", closeIncident],
  ["reopen", "Reopen a resolved or closed incident", reopenIncident],
] as const;

export function registerIncidentRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/incidents",
    {
      schema: {
        tags,
        summary: "List the team's incidents, newest first",
        querystring: incidentsQuerySchema,
        response: {
          200: z.object({ incidents: z.array(incidentSchema), limit: z.number(), offset: z.number() }),
        },
      },
    },
    async ({ caller, query }) => ({
      incidents: await listIncidents(services, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );

  app.get(
    "/api/incidents/:id",
    {
      schema: {
        tags,
        summary: "Get an incident with what happened to it and its alerts",
        params,
        response: {
          200: z.object({
            incident: incidentSchema,
            events: z.array(incidentEventSchema),
            alerts: z.array(alertInstanceSummarySchema),
          }),
        },
      },
    },
    async ({ caller, params: { id } }) => getIncident(services, caller.teamId, id),
  );

  for (const [action, summary, act] of ACTIONS)
    app.post(
      `/api/incidents/:id/${action}`,
      {
        config,
        schema: {
          ...{ tags, summary, params },
          response: {
            200: z.object({ success: z.literal(true), state: z.enum(INCIDENT_STATES) }),
            409: errorSchema,
          },
        },
      },
      async ({ caller, params: { id } }) => ({
        success: true as const,
        state: await act(services, caller.teamId, id, userOf(caller)),
      }),
    );

  app.post(
    "/api/incidents/:id/notes",
    {
      config,
      schema: {
        ...{ tags, summary: "Add a note to an incident", params },
        body: addIncidentNoteSchema,
        response: { 201: z.object({ note: incidentNoteSchema }) },
      },
    },
    async ({ caller, params: { id }, body }, reply) =>
      reply.code(201).send({ note: await addNote(services, caller.teamId, id, userOf(caller), body) }),
  );
}

/** Access lets none but sessions pass. */
function userOf(caller: Caller): string {
  return caller.kind === "session" ? caller.userId : caller.apiKeyId;
}
