/** Routes of labels. */
import { idSchema, labelsSchema, setLabelsSchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getCheckRow } from "../get-check.ts";
import { setLabels } from "./set-labels.ts";
import { readLabels, readTeamLabels } from "./store.ts";

const tags = ["Labels"];
const idParams = z.object({ id: idSchema("check") });
const ofCheck = z.object({ labels: labelsSchema });

export function registerLabelRoutes(app: ApiApp, services: Services): void {
  const { knex } = services;
  app.get(
    "/api/labels",
    {
      schema: {
        tags,
        summary: "List the labels of all checks that have any, by the checks' ids",
        response: { 200: z.object({ labels: z.record(z.string(), labelsSchema) }) },
      },
    },
    async ({ caller }) => ({ labels: await readTeamLabels(knex, caller.teamId) }),
  );

  app.get(
    "/api/checks/:id/labels",
    { schema: { tags, summary: "List a check's labels", params: idParams, response: { 200: ofCheck } } },
    async ({ caller, params }) => {
      const check = await getCheckRow(knex, caller.teamId, params.id);
      return { labels: await readLabels(knex, check.key) };
    },
  );

  app.put(
    "/api/checks/:id/labels",
    {
      schema: {
        tags,
        summary: "Set the full list of a check's labels",
        params: idParams,
        body: setLabelsSchema,
        response: { 200: ofCheck },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      return {
        labels: await setLabels(services, caller.teamId, params.id, body.labels, authorOf(request)),
      };
    },
  );
}
