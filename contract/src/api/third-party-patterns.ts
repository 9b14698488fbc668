/** Routes of third-party patterns. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { createThirdPartyPatternSchema, thirdPartyPatternSchema } from "../resources/third-party-pattern.ts";
import { defineRoute } from "./route.ts";

const tag = "SLOs";

/** Routes of third-party patterns, by operation. */
export const thirdPartyPatternRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/third-party-patterns",
    access: "reads",
    tag,
    summary: "List the team's third-party patterns, newest first",
    query: cursorPageQuerySchema,
    answer: z.object({ patterns: z.array(thirdPartyPatternSchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/third-party-patterns",
    access: "changes",
    tag,
    summary: "Create a third-party pattern, which SLOs refer to",
    description:
      "From then on the requests of all browser runs of the team to matching hosts are counted. A pattern can't be changed; delete it and create another.",
    body: createThirdPartyPatternSchema,
    status: 201,
    answer: z.object({ pattern: thirdPartyPatternSchema }),
    otherAnswers: { 409: errorSchema },
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/third-party-patterns/:id",
    access: "changes",
    tag,
    summary: "Delete a third-party pattern that no SLO refers to",
    description: "While an SLO refers to it the answer is 409 and names the SLO.",
    params: z.object({ id: idSchema("thirdPartyPattern") }),
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
  }),
};
