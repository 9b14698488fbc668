/** Registers the routes of SLOs. */
import { sloRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createSlo } from "./create-slo.ts";
import { deleteSlo } from "./delete-slo.ts";
import { getSlo } from "./get-slo.ts";
import { getSloSeries } from "./get-slo-series.ts";
import { getSloStatus } from "./get-slo-status.ts";
import { listSloStatuses } from "./list-slo-statuses.ts";
import { listSlos } from "./list-slos.ts";
import { updateSlo } from "./update-slo.ts";

/** Registers listing, creating, reading, changing and deleting SLOs, and reading their status. */
export function registerSloRoutes(app: ApiApp, services: Services): void {
  serve(app, sloRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listSlos(context, request.query));
  });

  serve(app, sloRoutes.create, async (request) => ({
    slo: await createSlo(contextOf(services, request), request.body),
  }));

  serve(app, sloRoutes.get, async (request) => ({
    slo: await getSlo(contextOf(services, request), request.params),
  }));

  serve(app, sloRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { slo: await updateSlo(contextOf(services, request), { id: params.id, update }) };
  });

  serve(app, sloRoutes.delete, async (request) => {
    await deleteSlo(contextOf(services, request), request.params);
    return { success: true as const };
  });

  serve(app, sloRoutes.getStatus, async (request) => ({
    state: await getSloStatus(contextOf(services, request), request.params),
  }));

  serve(app, sloRoutes.listStatuses, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listSloStatuses(context));
  });

  serve(app, sloRoutes.getSeries, async (request) =>
    getSloSeries(contextOf(services, request), request.params),
  );
}
