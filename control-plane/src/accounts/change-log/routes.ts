import { changeRoutes, changeSchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerList, parseCursor } from "../../platform/http/list-answer.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { listChangeRows } from "./store.ts";

/** Registers the route of the change log. */
export function registerChangeRoutes(app: ApiApp, { knex }: Services): void {
  serve(app, changeRoutes.list, async ({ caller: { teamId }, query }, reply) => {
    const { limit, offset, cursor, ...filter } = query;
    const begin = parseCursor(cursor, ["number"]);
    return answerList(reply, {
      teamId,
      name: "changes",
      source: {
        read: (after, rowsMax) =>
          listChangeRows(knex, teamId, {
            ...filter,
            beforeKey: after?.[0] as number | undefined,
            rowsMax,
            // The offset counts from the page's begin; what is read on follows the cursor.
            offset: after === begin ? offset : 0,
          }),
        textOf: ({ key: _, ...change }) => JSON.stringify(z.encode(changeSchema, change)),
        cursorOf: ({ key }) => [key],
      },
      page: { limit, after: begin },
      extra: { limit, offset },
    });
  });
}
