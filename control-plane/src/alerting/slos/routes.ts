/** Routes of SLOs. */
import {
  createSloSchema,
  sloSchema,
  sloStatusSchema,
  slosQuerySchema,
  successSchema,
  updateSloSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createSlo } from "./create-slo.ts";
import { deleteSlo } from "./delete-slo.ts";
import { getSlo, listSlos } from "./get-slo.ts";
import { getStatus } from "./get-slo-status.ts";
import { updateSlo } from "./update-slo.ts";

const PATH = "/api/slos";
const tags = ["SLOs"];
const idParams = z.object({ id: z.string() });
const oneSlo = z.object({ slo: sloSchema });

export function registerSloRoutes(app: ApiApp, services: Services): void {
  app.get(
    PATH,
    {
      schema: {
        tags,
        summary: "List the team's SLOs, newest first",
        querystring: slosQuerySchema,
        response: { 200: z.object({ slos: z.array(sloSchema), limit: z.number(), offset: z.number() }) },
      },
    },
    async ({ caller, query }) => ({
      slos: await listSlos(services.knex, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );

  app.post(
    PATH,
    {
      schema: {
        tags,
        summary: "Create an SLO, with its burn-rate alerts",
        body: createSloSchema,
        response: { 201: oneSlo },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const slo = await createSlo(services, caller.teamId, body, authorOf(request));
      return reply.code(201).send({ slo });
    },
  );

  app.get(
    `${PATH}/:id`,
    { schema: { tags, summary: "Get an SLO", params: idParams, response: { 200: oneSlo } } },
    async ({ caller, params }) => ({ slo: await getSlo(services.knex, caller.teamId, params.id) }),
  );

  app.put(
    `${PATH}/:id`,
    {
      schema: {
        tags,
        summary: "Change an SLO; its kind stays",
        params: idParams,
        body: updateSloSchema,
        response: { 200: oneSlo },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      return { slo: await updateSlo(services, caller.teamId, params.id, body, authorOf(request)) };
    },
  );

  app.delete(
    `${PATH}/:id`,
    {
      schema: {
        tags,
        summary: "Delete an SLO with its burn-rate alerts",
        params: idParams,
        response: { 200: successSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteSlo(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );

  app.get(
    `${PATH}/:id/status`,
    {
      schema: {
        tags,
        summary: "Where an SLO stands: its share of good results, error budget and burn rates",
        params: idParams,
        response: { 200: z.object({ state: sloStatusSchema }) },
      },
    },
    async ({ caller, params }) => ({ state: await getStatus(services, caller.teamId, params.id) }),
  );
}
