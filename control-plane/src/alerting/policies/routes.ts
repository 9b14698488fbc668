/** Registers the routes of alert policies. */
import { alertPolicyRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, CREATION_CURSOR, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createPolicy } from "./create-policy.ts";
import { deletePolicy } from "./delete-policy.ts";
import { getPolicy } from "./get-policy.ts";
import { listPolicies } from "./list-policies.ts";
import { previewPolicy } from "./preview-policy.ts";
import { updatePolicy } from "./update-policy.ts";

/** Registers listing, reading, previewing, creating, changing and deleting alert policies. */
export function registerPolicyRoutes(app: ApiApp, services: Services): void {
  serve(app, alertPolicyRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "policies",
      source: listPolicies(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });

  serve(app, alertPolicyRoutes.create, async (request) => ({
    policy: await createPolicy(contextOf(services, request), request.body),
  }));

  serve(app, alertPolicyRoutes.preview, async (request) =>
    previewPolicy(contextOf(services, request), request.body),
  );

  serve(app, alertPolicyRoutes.get, async (request) => ({
    policy: await getPolicy(contextOf(services, request), request.params),
  }));

  serve(app, alertPolicyRoutes.update, async (request) => {
    const { params, body: update } = request;
    return { policy: await updatePolicy(contextOf(services, request), { id: params.id, update }) };
  });

  serve(app, alertPolicyRoutes.delete, async (request) => {
    await deletePolicy(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
