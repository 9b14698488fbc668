/** Registers the routes of third-party patterns. */
import { thirdPartyPatternRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, CREATION_CURSOR, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createPattern } from "./create-pattern.ts";
import { deletePattern } from "./delete-pattern.ts";
import { listPatterns } from "./list-patterns.ts";

/** Registers listing, creating and deleting patterns of third parties. */
export function registerThirdPartyPatternRoutes(app: ApiApp, services: Services): void {
  serve(app, thirdPartyPatternRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    return answerList(reply, {
      teamId: request.caller.teamId,
      name: "patterns",
      source: listPatterns(contextOf(services, request)),
      page: { limit, after: parseCursor(cursor, CREATION_CURSOR) },
    });
  });

  serve(app, thirdPartyPatternRoutes.create, async (request) => ({
    pattern: await createPattern(contextOf(services, request), request.body),
  }));

  serve(app, thirdPartyPatternRoutes.delete, async (request) => {
    await deletePattern(contextOf(services, request), request.params);
    return { success: true as const };
  });
}
