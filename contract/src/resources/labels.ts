/** Labels of checks. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";

/** Schema of a label: `key` or `key:value`. It becomes the telemetry resource attribute `svc.label.<key>`. */
export const labelSchema = z
  .string()
  .max(128, "a label has at most 128 characters")
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9_.:-]*$/,
    "a label begins with a letter or digit and continues with letters, digits, _ . : -",
  );

/** Schema of a check's labels in answers, in alphabetical order. */
export const labelsSchema = z.array(z.string());

/** Most labels of a check. */
export const LABELS_MAX = 100;

/** Body of PUT /api/checks/:id/labels: the full list; an empty list removes all labels. */
export const setLabelsSchema = closedObject({
  labels: z.array(labelSchema).max(LABELS_MAX, `at most ${LABELS_MAX} labels`).superRefine(uniqueItems),
});
