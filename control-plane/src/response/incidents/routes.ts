/** Registers the routes of incidents. */
import { incidentRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { acknowledgeIncident } from "./acknowledge-incident.ts";
import { registerAcknowledgeLinks } from "./acknowledge-routes.ts";
import { addNote } from "./add-note.ts";
import { closeIncident } from "./close-incident.ts";
import { getIncident } from "./get-incident.ts";
import { listIncidents } from "./list-incidents.ts";
import { reopenIncident } from "./reopen-incident.ts";

/** Registers reading incidents, their transitions by people, and their notes. */
export function registerIncidentRoutes(app: ApiApp, services: Services): void {
  serve(app, incidentRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listIncidents(context, request.query));
  });

  serve(app, incidentRoutes.get, async (request) =>
    getIncident(contextOf(services, request), request.params),
  );

  serve(app, incidentRoutes.acknowledge, async (request) => ({
    success: true as const,
    state: await acknowledgeIncident(contextOf(services, request), request.params),
  }));

  serve(app, incidentRoutes.close, async (request) => ({
    success: true as const,
    state: await closeIncident(contextOf(services, request), request.params),
  }));

  serve(app, incidentRoutes.reopen, async (request) => ({
    success: true as const,
    state: await reopenIncident(contextOf(services, request), request.params),
  }));

  serve(app, incidentRoutes.addNote, async (request) => {
    const { params, body } = request;
    return { note: await addNote(contextOf(services, request), { id: params.id, body: body.body }) };
  });

  registerAcknowledgeLinks(app, services);
}
