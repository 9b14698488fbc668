/** Routes of SLOs. */

import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { nextCursorField, pageQuerySchema } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import {
  createSloSchema,
  sloSchema,
  sloStatusSchema,
  slosQuerySchema,
  updateSloSchema,
} from "../resources/slo.ts";
import { sloSeriesSchema } from "../resources/slo-series.ts";
import { defineRoute } from "./route.ts";

const tag = "SLOs";
const params = z.object({ id: idSchema("slo") });
const oneSlo = z.object({ slo: sloSchema });

/** Routes of SLOs, by operation. */
export const sloRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/slos",
    access: "reads",
    tag,
    summary: "List the team's SLOs, newest first",
    query: slosQuerySchema,
    answer: z.object({ slos: z.array(sloSchema), limit: z.number(), offset: z.number(), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/slos",
    access: "changes",
    tag,
    summary: "Create an SLO, with its burn-rate alerts",
    body: createSloSchema,
    status: 201,
    answer: oneSlo,
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/slos/:id",
    access: "reads",
    tag,
    summary: "Get an SLO",
    params,
    answer: oneSlo,
    versioned: "slo",
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/slos/:id",
    access: "changes",
    tag,
    summary: "Change an SLO; its kind stays",
    params,
    body: updateSloSchema,
    answer: oneSlo,
    otherAnswers: { 409: errorSchema },
    versioned: "slo",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/slos/:id",
    access: "changes",
    tag,
    summary: "Delete an SLO with its burn-rate alerts",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/slos/:id/as-code",
    access: "reads",
    tag,
    summary: "Get an SLO as the files of a config, with its monitor or third party and its channels",
    description: "Credentials are written as `{{secrets.NAME}}`.",
    params,
    answer: recordAsCodeSchema,
  }),
  getStatus: defineRoute({
    method: "GET",
    path: "/api/slos/:id/status",
    access: "reads",
    isReport: true,
    tag,
    summary: "Where an SLO stands: its share of good results, error budget and burn rates",
    params,
    answer: z.object({ state: sloStatusSchema }),
  }),
  listStatuses: defineRoute({
    method: "GET",
    path: "/api/slos/status",
    access: "reads",
    isReport: true,
    tag,
    summary: "Where the team's SLOs stand, newest first",
    description: "The states that `GET /api/slos/:id/status` answers one by one.",
    query: pageQuerySchema,
    answer: z.object({
      states: z.array(sloStatusSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  getSeries: defineRoute({
    method: "GET",
    path: "/api/slos/:id/series",
    access: "reads",
    isReport: true,
    tag,
    summary: "How an SLO's error budget was spent over its window, hour by hour",
    params,
    answer: sloSeriesSchema,
  }),
};
