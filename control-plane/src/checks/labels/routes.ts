import { type CheckId, labelRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import type { CheckDependents } from "../check-dependents.ts";
import { getCheckRow } from "../get-check.ts";
import { changeLabels } from "./change-labels.ts";
import { type LabelsRow, readLabels, readTeamLabels } from "./store.ts";

/** Registers the routes of labels. @param dependents records of higher layers that hang on a check */
export function registerLabelRoutes(
  app: ApiApp,
  services: Services,
  dependents: readonly CheckDependents[],
): void {
  const { knex } = services;

  serve(app, labelRoutes.listOfTeam, async ({ caller: { teamId }, query: { limit, cursor } }, reply) =>
    answerList<LabelsRow>(reply, {
      teamId,
      name: "labels",
      brackets: "{}",
      source: {
        read: (after) => readTeamLabels(knex, teamId, after?.[0] as CheckId | undefined),
        textOf: ({ id, labels }) => `${JSON.stringify(id)}:${JSON.stringify(labels)}`,
        cursorOf: ({ id }) => [id],
      },
      page: { limit, after: parseCursor(cursor, ["string"]) },
    }),
  );

  serve(app, labelRoutes.listOfCheck, async ({ caller, params }) => {
    const check = await getCheckRow(knex, caller.teamId, params.id);
    return { labels: await readLabels(knex, check.key) };
  });

  serve(app, labelRoutes.set, async (request) => {
    const { params, body } = request;
    return {
      labels: await changeLabels(contextOf(services, request), {
        id: params.id,
        labelsOf: () => body.labels,
        dependents,
      }),
    };
  });
}
