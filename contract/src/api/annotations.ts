/** The route of annotations. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { ANNOTATIONS_MAX, annotationSchema, annotationsQuerySchema } from "../resources/annotation.ts";
import { defineRoute } from "./route.ts";

/** Routes of annotations, by operation. */
export const annotationRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/annotations",
    access: "reads",
    isReport: true,
    tag: "Annotations",
    summary:
      "List what happened in a time range: deployments, changes, maintenance, alerts and more, newest first",
    description: [
      `At most ${ANNOTATIONS_MAX} entries, the newest ones, of a range of at most 400 days. An alert or incident that began up to 30 days`,
      "before the range is listed, too, when it lasted into the range.",
    ].join(" "),
    query: annotationsQuerySchema,
    answer: z.object({ annotations: z.array(annotationSchema).max(ANNOTATIONS_MAX) }),
    otherAnswers: { 404: errorSchema },
  }),
};
