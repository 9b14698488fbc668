/** Routes of results. */
import {
  checkHealthQuerySchema,
  checkHealthSchema,
  checkRoutes,
  idSchema,
  literalTrueQuery,
  pageQuerySchema,
  resultSchema,
} from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../checks/get-check.ts";
import { checkFromRow } from "../checks/row.ts";
import type { ApiApp } from "../platform/http/api.ts";
import { serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { listCheckHealth } from "./health.ts";
import { getResult, listResults } from "./list-results.ts";

/** Results that come with a check. */
const RECENT_RESULTS = 50;

const tags = ["Results"];

export function registerResultRoutes(app: ApiApp, services: Services): void {
  serve(app, checkRoutes.get, async ({ caller, params }) => {
    const row = await getCheckRow(services.knex, caller.teamId, params.id);
    const page = { limit: RECENT_RESULTS, offset: 0, withDetail: false };
    return { check: checkFromRow(services.secrets, row), results: await listResults(services, row, page) };
  });

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
        params: z.object({ id: idSchema("check") }),
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
        params: z.object({ id: idSchema("check"), resultId: z.string() }),
        response: { 200: z.object({ result: resultSchema }) },
      },
    },
    async ({ caller, params }) => {
      const check = await getCheckRow(services.knex, caller.teamId, params.id);
      return { result: await getResult(services, check, params.resultId) };
    },
  );
}
