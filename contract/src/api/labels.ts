/** Routes of labels. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { labelsSchema, setLabelsSchema } from "../resources/labels.ts";
import { defineRoute } from "./route.ts";

const tag = "Labels";
const params = z.object({ id: idSchema("check") });
const labelsOfCheck = z.object({ labels: labelsSchema });

/** Routes of labels, by operation. */
export const labelRoutes = {
  listOfTeam: defineRoute({
    method: "GET",
    path: "/api/labels",
    access: "reads",
    tag,
    summary: "List the labels of all checks that have any, by the checks' ids",
    query: cursorPageQuerySchema,
    answer: z.object({ labels: z.record(z.string(), labelsSchema), ...nextCursorField }),
  }),
  listOfCheck: defineRoute({
    method: "GET",
    path: "/api/checks/:id/labels",
    access: "reads",
    tag,
    summary: "List a check's labels",
    params,
    answer: labelsOfCheck,
  }),
  set: defineRoute({
    method: "PUT",
    path: "/api/checks/:id/labels",
    access: "changes",
    tag,
    summary: "Set the full list of a check's labels",
    params,
    body: setLabelsSchema,
    answer: labelsOfCheck,
  }),
};
