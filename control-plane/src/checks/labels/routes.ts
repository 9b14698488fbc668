import { labelRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getCheckRow } from "../get-check.ts";
import { setLabels } from "./set-labels.ts";
import { readLabels, readTeamLabels } from "./store.ts";

/** Registers the routes of labels. */
export function registerLabelRoutes(app: ApiApp, services: Services): void {
  const { knex } = services;

  serve(app, labelRoutes.listOfTeam, async ({ caller }) => ({
    labels: await readTeamLabels(knex, caller.teamId),
  }));

  serve(app, labelRoutes.listOfCheck, async ({ caller, params }) => {
    const check = await getCheckRow(knex, caller.teamId, params.id);
    return { labels: await readLabels(knex, check.key) };
  });

  serve(app, labelRoutes.set, async (request) => {
    const { params, body } = request;
    return {
      labels: await setLabels(contextOf(services, request), { id: params.id, labels: body.labels }),
    };
  });
}
