/** Annotations: what happened to a team's checks, as marks in time beside their results. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { instantQuery } from "../base/time-range-query.ts";
import { timestampSchema } from "../base/timestamp.ts";

/** Kinds of annotations. */
const ANNOTATION_KINDS = [
  "deployment",
  "config_change",
  "maintenance",
  "alert",
  "incident",
  "certificate_change",
  "schema_drift",
] as const;
/** Kind of an annotation. */
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** Most annotations in one answer; of more, the newest are answered. */
export const ANNOTATIONS_MAX = 500;

/** Schema of an annotation. */
export const annotationSchema = z
  .object({
    kind: z.enum(ANNOTATION_KINDS),
    at: timestampSchema.describe("When it happened, or began."),
    until: timestampSchema
      .nullable()
      .describe(
        "When it ended, of maintenance, alerts and incidents; null: it lasts, or it is of an instant.",
      ),
    title: z.string(),
    subjectId: z
      .string()
      .nullable()
      .describe(
        [
          "Id of the deployment, the changed record, the maintenance window, the alert instance or the incident; of the check for",
          "certificate_change and schema_drift. null: of a maintenance window that is no more.",
        ].join(" "),
      ),
  })
  .meta({ id: "Annotation" });
/** Something that happened at an instant or for some time. */
export type Annotation = z.infer<typeof annotationSchema>;

/** Schema of the query of annotations. */
export const annotationsQuerySchema = z.object({
  checkId: idSchema("check")
    .optional()
    .describe("Only what is about this check, and deployments, which are of the team. Default: all checks."),
  from: instantQuery.describe("Begin of the range. Default: 24 h before its end."),
  to: instantQuery.describe("End of the range, which may lie ahead. Default: now."),
});
