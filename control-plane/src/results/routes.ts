/** Registers the routes of results, and `GET /api/checks/:id`, which answers results too. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { CSV_RESULTS_MAX, checkRoutes, type Result, resultRoutes } from "@svc/contract";
import { createRevealRecorder } from "../accounts/audit/record-reveal.ts";
import { getCheckRow } from "../checks/get-check.ts";
import { readLocationNotices, withLocationNotices } from "../checks/location-notices.ts";
import { shownTo, withPushUrl } from "../checks/pushes/push-url.ts";
import { checkFromRow } from "../checks/row.ts";
import type { ApiApp } from "../platform/http/api.ts";
import {
  answerInTurn,
  answerList,
  type Cursor,
  type ListSource,
  parseCursor,
  seatedSource,
} from "../platform/http/list-answer.ts";
import { answerPage } from "../platform/http/record-list.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { writeMetrics } from "./check-metrics/write-metrics.ts";
import { getResult } from "./get-result.ts";
import { getRun } from "./get-run.ts";
import { listCheckHealth } from "./list-check-health.ts";
import { listResults, RESULT_CURSOR } from "./list-results.ts";
import { readResultsPage } from "./read-results.ts";
import { CSV_HEAD, csvLineOf } from "./results-csv.ts";

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
      check: withPushUrl(
        services,
        {
          row,
          check: withLocationNotices(
            checkFromRow(services.secrets, row, query.secrets),
            await readLocationNotices(reading.knex),
          ),
        },
        shownTo(caller, query.secrets),
      ),
      results: await readResultsPage(reading, row, page),
    };
  });

  serve(app, resultRoutes.listHealth, async (request, reply) => {
    const context = contextOf(services, request);
    const { ids, ...query } = request.query;
    return answerPage(reply, { teamId: context.teamId, query }, listCheckHealth(context, ids));
  });

  serve(app, resultRoutes.list, async (request, reply) => {
    const { limit, offset, cursor, detail: withDetail, ...filter } = request.query;
    const { id: checkId } = request.params;
    const begin = parseCursor(cursor, RESULT_CURSOR);
    const context = contextOf(services, request);
    return answerList(reply, {
      teamId: context.teamId,
      name: "results",
      source: await listResults(context, { checkId, begin, limit, offset, withDetail, filter }),
      page: { limit, after: begin },
      extra: { limit, offset },
    });
  });

  serve(app, resultRoutes.get, async (request) => {
    const { id: checkId, resultId } = request.params;
    return getResult(contextOf(services, request), { checkId, resultId });
  });

  serve(app, resultRoutes.getRun, async (request) => {
    const { id: checkId, runId } = request.params;
    return { run: await getRun(contextOf(services, request), { checkId, runId }) };
  });

  serve(app, resultRoutes.downloadResults, async (request, reply) => {
    const context = contextOf(services, request);
    const page = { limit: CSV_RESULTS_MAX, offset: 0, withDetail: false };
    const filter = request.query;
    const source = await listResults(context, {
      checkId: request.params.id,
      begin: undefined,
      ...page,
      filter,
    });
    void reply
      .type("text/csv; charset=utf-8")
      .header("content-disposition", `attachment; filename="results-${request.params.id}.csv"`);
    return answerInTurn(reply, context.teamId, (seats) =>
      writeCsv(seatedSource(source, { teamId: context.teamId, seats })),
    );
  });

  serve(app, resultRoutes.getMetrics, async (request, reply) => {
    const { services: reading, teamId } = contextOf(services, request);
    const { label } = request.query;
    void reply.type(METRICS_TYPE);
    return answerInTurn(reply, teamId, (seats) =>
      writeMetrics(reading.knex, { teamId, label, nowMs: services.clock.nowMs(), seats }),
    );
  });
}

/** Version of Prometheus' text format that every scraper knows. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Yields the file: its head, then the lines of each batch of results. */
async function* writeCsv(source: ListSource<Result>): AsyncGenerator<string, undefined> {
  let count = 0;
  let text = CSV_HEAD;
  for (let after: Cursor | undefined; count < CSV_RESULTS_MAX; ) {
    const batch = await source.read(after, CSV_RESULTS_MAX);
    const last = batch.at(-1);
    if (!last) break;
    const lines = batch.slice(0, CSV_RESULTS_MAX - count).map(csvLineOf);
    count += lines.length;
    yield text + lines.join("");
    text = "";
    after = source.cursorOf(last);
    await nextTurn();
  }
  if (text) yield text;
}
