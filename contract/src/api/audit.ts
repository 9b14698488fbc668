/** Route of the audit log. */
import * as z from "zod";
import { nextCursorField } from "../base/list-page.ts";
import { auditEntrySchema, auditQuerySchema } from "../resources/audit-entry.ts";
import { defineRoute } from "./route.ts";

/** Routes of the audit log, by operation. */
export const auditRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/audit",
    access: "members_read",
    tag: "Audit",
    summary: "List who got or used access, from where and by what way, newest first",
    query: auditQuerySchema,
    answer: z.object({
      entries: z.array(auditEntrySchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
};
