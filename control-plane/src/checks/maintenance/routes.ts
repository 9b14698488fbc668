import { maintenanceWindowRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, CREATION_CURSOR, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createWindow } from "./create-window.ts";
import { deleteWindow } from "./delete-window.ts";
import { getWindow } from "./get-window.ts";
import { listOccurrences } from "./list-occurrences.ts";
import { listWindows } from "./list-windows.ts";
import { previewWindow } from "./preview-window.ts";
import { updateWindow } from "./update-window.ts";

/** Registers the routes of maintenance windows. */
export function registerMaintenanceRoutes(app: ApiApp, services: Services): void {
  serve(app, maintenanceWindowRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "maintenanceWindows",
      source: listWindows(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });

  serve(app, maintenanceWindowRoutes.listOccurrences, async (request) => ({
    occurrences: await listOccurrences(contextOf(services, request), request.query),
  }));

  serve(app, maintenanceWindowRoutes.create, async (request) => ({
    maintenanceWindow: await createWindow(contextOf(services, request), request.body),
  }));

  serve(app, maintenanceWindowRoutes.preview, async (request) => ({
    occurrences: await previewWindow(contextOf(services, request), request.body),
  }));

  serve(app, maintenanceWindowRoutes.get, async (request) => ({
    maintenanceWindow: await getWindow(contextOf(services, request), request.params),
  }));

  serve(app, maintenanceWindowRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { maintenanceWindow: await updateWindow(contextOf(services, request), { id: params.id, update }) };
  });

  serve(app, maintenanceWindowRoutes.delete, async (request) => {
    await deleteWindow(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
