/** The change log's route. */
import { changeSchema, changesQuerySchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { listChangeRows } from "./store.ts";

export function registerChangeRoutes(app: ApiApp, { knex }: Services): void {
  app.get(
    "/api/changes",
    {
      schema: {
        tags: ["Changes"],
        summary: "List who changed what, newest first",
        querystring: changesQuerySchema,
        response: {
          200: z.object({ changes: z.array(changeSchema), limit: z.number(), offset: z.number() }),
        },
      },
    },
    async ({ caller, query }) => ({
      changes: await listChangeRows(knex, caller.teamId, query),
      limit: query.limit,
      offset: query.offset,
    }),
  );
}
