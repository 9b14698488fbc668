/** Registers the routes of results, and `GET /api/checks/:id`, which answers results too. */
import { checkRoutes, resultRoutes } from "@svc/contract";
import { getCheckRow } from "../checks/get-check.ts";
import { checkFromRow } from "../checks/row.ts";
import type { ApiApp } from "../platform/http/api.ts";
import { answerList, parseCursor } from "../platform/http/list-answer.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getResult } from "./get-result.ts";
import { listCheckHealth } from "./list-check-health.ts";
import { listResults, RESULT_CURSOR } from "./list-results.ts";
import { readResultsPage } from "./read-results.ts";

/** Results that come with a check. */
const RECENT_RESULTS = 50;

export function registerResultRoutes(app: ApiApp, services: Services): void {
  serve(app, checkRoutes.get, async ({ caller, params }) => {
    const row = await getCheckRow(services.knex, caller.teamId, params.id);
    const page = { limit: RECENT_RESULTS, offset: 0, withDetail: false };
    return {
      check: checkFromRow(services.secrets, row),
      results: await readResultsPage(services, row, page),
    };
  });

  serve(app, resultRoutes.listHealth, async (request) => {
    const { limit, offset } = request.query;
    return { checks: await listCheckHealth(contextOf(services, request), request.query), limit, offset };
  });

  serve(app, resultRoutes.list, async (request, reply) => {
    const { limit, offset, cursor, detail: withDetail } = request.query;
    const { id: checkId } = request.params;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "results",
      source: await listResults(contextOf(services, request), { checkId, limit, offset, withDetail }),
      page: { limit, after: parseCursor(cursor, RESULT_CURSOR) },
      extra: { limit, offset },
    });
  });

  serve(app, resultRoutes.get, async (request) => {
    const { id: checkId, resultId } = request.params;
    return { result: await getResult(contextOf(services, request), { checkId, resultId }) };
  });
}
