/** Routes of maintenance windows. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  createMaintenanceWindowSchema,
  maintenanceOccurrenceSchema,
  maintenanceWindowSchema,
  occurrencesQuerySchema,
  occurrenceTimesSchema,
  previewMaintenanceWindowSchema,
  updateMaintenanceWindowSchema,
} from "../resources/maintenance-window.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import { defineRoute } from "./route.ts";

const tag = "Maintenance windows";
const params = z.object({ id: idSchema("maintenanceWindow") });
const oneWindow = z.object({ maintenanceWindow: maintenanceWindowSchema });

/** Routes of maintenance windows, by operation. */
export const maintenanceWindowRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/maintenance-windows",
    access: "reads",
    tag,
    summary: "List the team's windows, newest first",
    query: cursorPageQuerySchema,
    answer: z.object({ maintenanceWindows: z.array(maintenanceWindowSchema), ...nextCursorField }),
  }),
  listOccurrences: defineRoute({
    method: "GET",
    path: "/api/maintenance-windows/occurrences",
    access: "reads",
    tag,
    summary: "List the occurrences of all windows that have not ended, the next first",
    description: "Occurrences are worked out 35 days ahead; of a window that is rarer, its next one.",
    query: occurrencesQuerySchema,
    answer: z.object({ occurrences: z.array(maintenanceOccurrenceSchema) }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/maintenance-windows",
    access: "changes",
    tag,
    summary: "Create a window",
    body: createMaintenanceWindowSchema,
    status: 201,
    answer: oneWindow,
    otherAnswers: { 409: errorSchema },
  }),
  preview: defineRoute({
    method: "POST",
    path: "/api/maintenance-windows/preview",
    access: "changes",
    tag,
    summary: "Tell when a window would occur next, at most 10 times, without making it",
    body: previewMaintenanceWindowSchema,
    answer: z.object({ occurrences: z.array(occurrenceTimesSchema) }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/maintenance-windows/:id",
    access: "reads",
    tag,
    summary: "Get a window",
    params,
    answer: oneWindow,
    versioned: "maintenanceWindow",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/maintenance-windows/:id/as-code",
    access: "reads",
    tag,
    summary: "Get a window as the files of a config, with its monitors",
    description:
      "Credentials are written as `{{secrets.NAME}}`. `svc pull` leaves maintenance windows out; this writes one as `svc deploy` reads it.",
    params,
    answer: recordAsCodeSchema,
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/maintenance-windows/:id",
    access: "changes",
    tag,
    summary: "Change a window",
    params,
    body: updateMaintenanceWindowSchema,
    answer: oneWindow,
    otherAnswers: { 409: errorSchema },
    versioned: "maintenanceWindow",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/maintenance-windows/:id",
    access: "changes",
    tag,
    summary: "Delete a window; one that holds ends now",
    params,
    answer: successSchema,
    acceptsIfMatch: true,
  }),
};
