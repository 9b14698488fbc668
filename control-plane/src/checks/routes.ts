/** Registers the routes of checks. `GET /api/checks/:id` answers results too: results/ registers it. */
import { checkRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { answerList, PAGE_BYTES_MAX, parseCursor } from "../platform/http/list-answer.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { createCheck } from "./create-check.ts";
import { type CheckDependents, deleteCheck } from "./delete-check.ts";
import { CHECK_CURSOR, listChecks } from "./list-checks.ts";
import { triggerCheck } from "./trigger-check.ts";
import { updateCheck } from "./update-check.ts";

/** @param dependents records of higher layers that go with a deleted check */
export function registerCheckRoutes(
  app: ApiApp,
  services: Services,
  dependents: readonly CheckDependents[],
): void {
  serve(app, checkRoutes.list, async (request, reply) => {
    const { limit, cursor, view } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "checks",
      source: listChecks(contextOf(services, request), { view }),
      page: { limit, after: parseCursor(cursor, CHECK_CURSOR) },
      // The whole list is what callers have always been given; the cap on its bytes bounds it.
      bytesMax: limit === undefined && cursor === undefined ? Number.POSITIVE_INFINITY : PAGE_BYTES_MAX,
    });
  });

  serve(app, checkRoutes.create, async (request) => ({
    check: await createCheck(contextOf(services, request), request.body),
  }));

  serve(app, checkRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { check: await updateCheck(contextOf(services, request), { id: params.id, update }) };
  });

  serve(app, checkRoutes.delete, async (request) => {
    await deleteCheck(contextOf(services, request), { id: request.params.id, dependents });
    return { success: true as const };
  });

  serve(app, checkRoutes.trigger, async (request) => ({
    triggered: true as const,
    locations: await triggerCheck(contextOf(services, request), request.params),
  }));
}
