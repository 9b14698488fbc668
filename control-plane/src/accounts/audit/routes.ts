import { auditRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerPage } from "../../platform/http/record-list.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listAuditEntries } from "./list-audit-entries.ts";

/** Registers the route of the audit log. */
export function registerAuditRoutes(app: ApiApp, services: Services): void {
  serve(app, auditRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    const { teamId } = context;
    return answerPage(reply, { teamId, query: request.query }, listAuditEntries(context, request.query));
  });
}
