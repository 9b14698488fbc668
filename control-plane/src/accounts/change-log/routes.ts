import { changeRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listChangeRows } from "./store.ts";

/** Registers the route of the change log. */
export function registerChangeRoutes(app: ApiApp, { knex }: Services): void {
  serve(app, changeRoutes.list, async ({ caller, query }) => ({
    changes: await listChangeRows(knex, caller.teamId, query),
    limit: query.limit,
    offset: query.offset,
  }));
}
