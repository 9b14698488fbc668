import { changeRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listChanges } from "./list-changes.ts";

/** Registers the route of the change log. */
export function registerChangeRoutes(app: ApiApp, services: Services): void {
  serve(app, changeRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listChanges(context, request.query));
  });
}
