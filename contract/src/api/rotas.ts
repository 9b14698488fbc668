/** Routes of rotas. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import {
  createRotaSchema,
  rotaDutySchema,
  rotaScheduleQuerySchema,
  rotaSchema,
  updateRotaSchema,
} from "../resources/rota.ts";
import { defineRoute } from "./route.ts";

const tag = "Incidents";
const params = z.object({ id: idSchema("rota") });
const oneRota = z.object({ rota: rotaSchema });

/** Routes of rotas, by operation. */
export const rotaRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/rotas",
    access: "reads",
    tag,
    summary: "List the team's rotas, newest first, with who is on duty now",
    query: cursorPageQuerySchema,
    answer: z.object({ rotas: z.array(rotaSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/rotas",
    access: "changes",
    tag,
    summary: "Create a rota: people who are on duty in turn",
    description: "A step of the incident policy that names it notifies whoever is on duty then.",
    body: createRotaSchema,
    status: 201,
    answer: oneRota,
    otherAnswers: { 409: errorSchema },
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/rotas/:id",
    access: "reads",
    tag,
    summary: "Get a rota with who is on duty now",
    params,
    answer: oneRota,
    versioned: "rota",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/rotas/:id/as-code",
    access: "reads",
    tag,
    summary: "Get a rota as the files of a config, with the channels of its members",
    description: "Credentials are written as `{{secrets.NAME}}`.",
    params,
    answer: recordAsCodeSchema,
  }),
  schedule: defineRoute({
    method: "GET",
    path: "/api/rotas/:id/schedule",
    access: "reads",
    tag,
    summary: "Tell who of a rota is on duty in a span of time, the earliest first",
    description: "Without gaps. The first entry may begin before the span, and the last one end after it.",
    params,
    query: rotaScheduleQuerySchema,
    answer: z.object({ schedule: z.array(rotaDutySchema) }),
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/rotas/:id",
    access: "changes",
    tag,
    summary: "Change a rota",
    params,
    body: updateRotaSchema,
    answer: oneRota,
    otherAnswers: { 409: errorSchema },
    versioned: "rota",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/rotas/:id",
    access: "changes",
    tag,
    summary: "Delete a rota that no step of the incident policy names",
    params,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
};
