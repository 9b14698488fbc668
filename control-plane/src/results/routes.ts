/** Routes of results. */
import {
  checkHealthQuerySchema,
  checkHealthSchema,
  literalTrueQuery,
  pageQuerySchema,
  resultSchema,
} from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../checks/get-check.ts";
import type { ApiApp } from "../platform/http/api.ts";
import type { Services } from "../platform/services.ts";
import { listCheckHealth } from "./health.ts";
import { getResult, listResults } from "./list-results.ts";

const tags = ["Results"];

export function registerResultRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/checks/health",
    {
      schema: {
        tags,
        summary: "Tell how the checks stand, with the newest results of each",
        querystring: checkHealthQuerySchema,
        response: {
          200: z.object({ checks: z.array(checkHealthSchema), limit: z.number(), offset: z.number() }),
        },
      },
    },
    async ({ caller, query }) => ({
      checks: await listCheckHealth(services, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );

  app.get(
    "/api/checks/:id/results",
    {
      schema: {
        tags,
        summary: "List a check's results, newest first",
        params: z.object({ id: z.string() }),
        querystring: pageQuerySchema.extend({
          detail: literalTrueQuery.describe(
            "true adds assertions, evidence, attempts and what the type has besides",
          ),
        }),
        response: {
          200: z.object({ results: z.array(resultSchema), limit: z.number(), offset: z.number() }),
        },
      },
    },
    async ({ caller, params, query }) => {
      const { limit, offset, detail: withDetail } = query;
      const check = await getCheckRow(services.knex, caller.teamId, params.id);
      return { results: await listResults(services, check, { limit, offset, withDetail }), limit, offset };
    },
  );

  app.get(
    "/api/checks/:id/results/:resultId",
    {
      schema: {
        tags,
        summary: "Get a result with its detail",
        params: z.object({ id: z.string(), resultId: z.string() }),
        response: { 200: z.object({ result: resultSchema }) },
      },
    },
    async ({ caller, params }) => {
      const check = await getCheckRow(services.knex, caller.teamId, params.id);
      return { result: await getResult(services, check, params.resultId) };
    },
  );
}
