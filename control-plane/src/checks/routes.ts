/** Registers the routes of checks. `GET /api/checks/:id` answers results too: results/ registers it. */
import { checkRoutes } from "@svc/contract";
import { createRevealRecorder } from "../accounts/audit/record-reveal.ts";
import type { ApiApp } from "../platform/http/api.ts";
import { answerWhole } from "../platform/http/record-list.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import type { Services } from "../platform/services.ts";
import { changeChecks } from "./change-checks.ts";
import type { CheckDependents } from "./check-dependents.ts";
import { createCheck } from "./create-check.ts";
import { deleteCheck } from "./delete-check.ts";
import { listChecks } from "./list-checks.ts";
import { shownTo, withPushUrl } from "./pushes/push-url.ts";
import { rotatePushUrl } from "./pushes/rotate-push-url.ts";
import { checkFromRow } from "./row.ts";
import { triggerCheck } from "./trigger-check.ts";
import { updateCheck } from "./update-check.ts";

/** @param dependents records of higher layers that hang on a check */
export function registerCheckRoutes(
  app: ApiApp,
  services: Services,
  dependents: readonly CheckDependents[],
): void {
  const recordReveal = createRevealRecorder(services, "checks");

  serve(app, checkRoutes.list, async (request, reply) => {
    const { view, secrets, ...query } = request.query;
    const context = contextOf(services, request);
    if (view === "full" && secrets === "shown") await recordReveal(context);
    return answerWhole(
      reply,
      { teamId: context.teamId, query },
      listChecks(context, { view, secrets, urls: shownTo(request.caller, secrets) }),
    );
  });

  serve(app, checkRoutes.create, async (request) => ({
    check: await createCheck(contextOf(services, request), request.body),
  }));

  serve(app, checkRoutes.update, async (request) => {
    const { params, query, body: update } = request;
    const context = contextOf(services, request);
    const row = await updateCheck(context, { id: params.id, update, dependents });
    if (query.secrets === "shown") await recordReveal(context);
    const check = checkFromRow(services.secrets, row, query.secrets);
    return { check: withPushUrl(services, { row, check }, shownTo(request.caller, query.secrets)) };
  });

  serve(app, checkRoutes.delete, async (request) => {
    await deleteCheck(contextOf(services, request), { id: request.params.id, dependents });
    return { success: true as const };
  });

  serve(app, checkRoutes.changeMany, async (request) =>
    changeChecks(contextOf(services, request), { bulk: request.body, dependents }),
  );

  serve(app, checkRoutes.rotatePushUrl, async (request) => {
    const row = await rotatePushUrl(contextOf(services, request), request.params);
    return { check: withPushUrl(services, { row, check: checkFromRow(services.secrets, row) }, "shown") };
  });

  serve(app, checkRoutes.trigger, async (request) => ({
    triggered: true as const,
    ...(await triggerCheck(contextOf(services, request), request.params)),
  }));
}
