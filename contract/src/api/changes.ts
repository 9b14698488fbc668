/** Route of the change log. */
import * as z from "zod";
import { nextCursorField } from "../base/list-page.ts";
import { changeSchema, changesQuerySchema } from "../resources/change.ts";
import { defineRoute } from "./route.ts";

/** Routes of the change log, by operation. */
export const changeRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/changes",
    access: "reads",
    tag: "Changes",
    summary: "List who changed what, newest first",
    query: changesQuerySchema,
    answer: z.object({
      changes: z.array(changeSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
};
