/** Registers the routes of alert rules. */
import { alertRuleRoutes } from "@svc/contract";
import { createRevealRecorder } from "../../accounts/audit/record-reveal.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { getBaseline } from "../baselines/get-baseline.ts";
import { explainRule } from "../preview/explain-rule.ts";
import { previewRule } from "../preview/preview-rule.ts";
import { createRule } from "./create-rule.ts";
import { deleteRule } from "./delete-rule.ts";
import { getRule } from "./get-rule.ts";
import { listRulesOfCheck } from "./list-rules-of-check.ts";
import { listRulesOfTeam } from "./list-rules-of-team.ts";
import { updateRule } from "./update-rule.ts";

/** Registers listing, reading, creating, changing and deleting alert rules. */
export function registerRuleRoutes(app: ApiApp, services: Services): void {
  // A check's rules are answered with the channels that they notify.
  const recordReveal = createRevealRecorder(services, "channels");

  serve(app, alertRuleRoutes.listOfTeam, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "alerts",
      source: listRulesOfTeam(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, ["number"]) },
    });
  });

  serve(app, alertRuleRoutes.getBaseline, async (request) => {
    const { metric } = request.query;
    return getBaseline(contextOf(services, request), { checkId: request.params.id, metric });
  });

  serve(app, alertRuleRoutes.listOfCheck, async (request, reply) => {
    const { limit, cursor, secrets } = request.query;
    const context = contextOf(services, request);
    const isMasked = secrets === "masked";
    const source = await listRulesOfCheck(context, { checkId: request.params.id, isMasked });
    if (!isMasked) await recordReveal(context);
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "alerts",
      source,
      page: { limit, after: parseCursor(cursor, ["number"]) },
    });
  });

  serve(app, alertRuleRoutes.create, async (request) => {
    const { params, body: rule } = request;
    return { id: await createRule(contextOf(services, request), { checkId: params.id, rule }) };
  });

  serve(app, alertRuleRoutes.preview, {
    waitsElsewhere: true,
    handler: async (request, reply) => {
      const leaving = new AbortController();
      reply.raw.once("close", () => leaving.abort(new Error("the client left before its preview was done")));
      return previewRule(contextOf(services, request), request.body, { signal: leaving.signal });
    },
  });

  serve(app, alertRuleRoutes.explain, async (request) =>
    explainRule(contextOf(services, request), { id: request.params.alertId }),
  );

  serve(app, alertRuleRoutes.get, async (request) => ({
    alert: await getRule(contextOf(services, request), { id: request.params.alertId }),
  }));

  serve(app, alertRuleRoutes.update, async (request) => {
    const { params, body: update } = request;
    await updateRule(contextOf(services, request), { id: params.alertId, update });
    return { success: true as const };
  });

  serve(app, alertRuleRoutes.delete, async (request) => {
    await deleteRule(contextOf(services, request), { id: request.params.alertId });
    return { success: true as const };
  });
}
