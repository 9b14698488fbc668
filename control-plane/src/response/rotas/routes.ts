/** Registers the routes of rotas. */
import { rotaRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, CREATION_CURSOR, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createRota } from "./create-rota.ts";
import { deleteRota } from "./delete-rota.ts";
import { getRota } from "./get-rota.ts";
import { getSchedule } from "./get-schedule.ts";
import { listRotas } from "./list-rotas.ts";
import { updateRota } from "./update-rota.ts";

/** Registers listing, reading, creating, changing and deleting rotas, and their schedules. */
export function registerRotaRoutes(app: ApiApp, services: Services): void {
  serve(app, rotaRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "rotas",
      source: listRotas(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });

  serve(app, rotaRoutes.create, async (request) => ({
    rota: await createRota(contextOf(services, request), request.body),
  }));

  serve(app, rotaRoutes.get, async (request) => ({
    rota: await getRota(contextOf(services, request), request.params),
  }));

  serve(app, rotaRoutes.schedule, async (request) => ({
    schedule: await getSchedule(contextOf(services, request), { ...request.params, ...request.query }),
  }));

  serve(app, rotaRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { rota: await updateRota(contextOf(services, request), { id: params.id, update }) };
  });

  serve(app, rotaRoutes.delete, async (request) => {
    await deleteRota(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
