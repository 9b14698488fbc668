/** Routes of maintenance windows. */
import {
  createMaintenanceWindowSchema,
  errorSchema,
  maintenanceWindowSchema,
  successSchema,
  updateMaintenanceWindowSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createWindow } from "./create-window.ts";
import { deleteWindow } from "./delete-window.ts";
import { getWindow, listWindows } from "./get-window.ts";
import { updateWindow } from "./update-window.ts";

const PATH = "/api/maintenance-windows";
const tags = ["Maintenance windows"];
const idParams = z.object({ id: z.string() });
const oneWindow = z.object({ maintenanceWindow: maintenanceWindowSchema });

export function registerMaintenanceRoutes(app: ApiApp, services: Services): void {
  app.get(
    PATH,
    {
      schema: {
        tags,
        summary: "List the team's windows, newest first",
        response: { 200: z.object({ maintenanceWindows: z.array(maintenanceWindowSchema) }) },
      },
    },
    async ({ caller }) => ({ maintenanceWindows: await listWindows(services, caller.teamId) }),
  );

  app.post(
    PATH,
    {
      schema: {
        tags,
        summary: "Create a window",
        body: createMaintenanceWindowSchema,
        response: { 201: oneWindow, 409: errorSchema },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const maintenanceWindow = await createWindow(services, caller.teamId, body, authorOf(request));
      return reply.code(201).send({ maintenanceWindow });
    },
  );

  app.get(
    `${PATH}/:id`,
    { schema: { tags, summary: "Get a window", params: idParams, response: { 200: oneWindow } } },
    async ({ caller, params }) => ({
      maintenanceWindow: await getWindow(services, caller.teamId, params.id),
    }),
  );

  app.put(
    `${PATH}/:id`,
    {
      schema: {
        tags,
        summary: "Change a window",
        params: idParams,
        body: updateMaintenanceWindowSchema,
        response: { 200: oneWindow, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      return {
        maintenanceWindow: await updateWindow(services, caller.teamId, params.id, body, authorOf(request)),
      };
    },
  );

  app.delete(
    `${PATH}/:id`,
    {
      schema: {
        tags,
        summary: "Delete a window; one that holds ends now",
        params: idParams,
        response: { 200: successSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteWindow(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );
}
