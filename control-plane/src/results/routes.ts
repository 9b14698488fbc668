/** Registers the routes of results, and `GET /api/checks/:id`, which answers results too. */
import { checkRoutes, resultRoutes } from "@svc/contract";
import { createRevealRecorder } from "../accounts/audit/record-reveal.ts";
import { getCheckRow } from "../checks/get-check.ts";
import { readLocationNotices, withLocationNotices } from "../checks/location-notices.ts";
import { checkFromRow } from "../checks/row.ts";
import type { ApiApp } from "../platform/http/api.ts";
import { answerList, parseCursor } from "../platform/http/list-answer.ts";
import { answerPage } from "../platform/http/record-list.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { getResult } from "./get-result.ts";
import { listCheckHealth } from "./list-check-health.ts";
import { listResults, RESULT_CURSOR } from "./list-results.ts";
import { readResultsPage } from "./read-results.ts";

/** Results that come with a check. */
const RECENT_RESULTS = 50;

/** Registers reading a check and its results. */
export function registerResultRoutes(app: ApiApp, services: Services): void {
  const recordReveal = createRevealRecorder(services, "checks");

  serve(app, checkRoutes.get, async (request) => {
    const { caller, params, query } = request;
    const context = contextOf(services, request);
    const { services: reading } = context;
    const row = await getCheckRow(reading.knex, caller.teamId, params.id);
    if (query.secrets === "shown") await recordReveal(context);
    const page = { limit: RECENT_RESULTS, offset: 0, withDetail: false };
    return {
      check: withLocationNotices(
        checkFromRow(services.secrets, row, query.secrets),
        await readLocationNotices(reading.knex),
      ),
      results: await readResultsPage(reading, row, page),
    };
  });

  serve(app, resultRoutes.listHealth, async (request, reply) => {
    const context = contextOf(services, request);
    return answerPage(reply, { teamId: context.teamId, query: request.query }, listCheckHealth(context));
  });

  serve(app, resultRoutes.list, async (request, reply) => {
    const { limit, offset, cursor, detail: withDetail } = request.query;
    const { id: checkId } = request.params;
    const begin = parseCursor(cursor, RESULT_CURSOR);
    const context = contextOf(services, request);
    return answerList(reply, {
      teamId: context.teamId,
      name: "results",
      source: await listResults(context, { checkId, begin, limit, offset, withDetail }),
      page: { limit, after: begin },
      extra: { limit, offset },
    });
  });

  serve(app, resultRoutes.get, async (request) => {
    const { id: checkId, resultId } = request.params;
    return { result: await getResult(contextOf(services, request), { checkId, resultId }) };
  });
}
