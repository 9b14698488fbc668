/** Answers of `svc monitors` and `svc results`. */
import {
  alertRuleSchema,
  analysisSchema,
  checkSchema,
  checkTypes,
  generatedScriptSchema,
  labelsSchema,
  resultSchema,
} from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { changedField, pageFields } from "./fields.ts";

const status = z.enum(["enabled", "paused"]);

/** Answers of `svc monitors list`. */
export const monitorsList: Answers = {
  data: z.object({
    monitors: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        type: z.enum(checkTypes.types),
        status,
        frequencySeconds: z.number(),
        locationCount: z.number(),
        labels: labelsSchema.optional().describe("Absent when they could not be read."),
      }),
    ),
  }),
};

/** Answers of `svc monitors get`. */
export const monitorsGet: Answers = {
  data: z.object({
    monitor: checkSchema.extend({
      labels: labelsSchema.optional().describe("Absent when they could not be read."),
    }),
    alertRules: z
      .array(alertRuleSchema.omit({ channels: true }))
      .optional()
      .describe("Absent when they could not be read."),
    results: z.array(resultSchema).describe("The newest, newest first."),
  }),
};

/** Answers of `svc monitors create`. */
export const monitorsCreate: Answers = { data: z.object({ monitor: checkSchema }) };

/** Answers of `svc monitors edit`. */
export const monitorsEdit: Answers = { data: z.object({ monitor: checkSchema, ...changedField }) };

/** Answers of `svc monitors pause` and `resume`. */
export const monitorsSwitch: Answers = {
  data: z.object({
    id: z.string(),
    name: z.string(),
    status,
    changed: z.boolean().describe("False: it was so already."),
  }),
};

/** Answers of `svc monitors analyze`. */
export const monitorsAnalyze: Answers = {
  data: analysisSchema,
  details: { retryAfterSeconds: z.number() },
};

/** Answers of `svc monitors generate`. */
export const monitorsGenerate: Answers = {
  data: generatedScriptSchema.extend({
    file: z.string().nullable().describe("Where the script was written; null: nowhere."),
  }),
  details: { retryAfterSeconds: z.number() },
};

/** Answers of `svc results list`. */
export const resultsList: Answers = {
  data: z.object({
    results: z.array(resultSchema),
    ...pageFields,
    offset: pageFields.offset.optional().describe("Absent when --status or --since filters."),
  }),
};

/** Answers of `svc results get`. */
export const resultsGet: Answers = { data: z.object({ result: resultSchema }) };

/** Answers of `svc results tail`. */
export const resultsTail: Answers = { lines: { schema: resultSchema, of: "result" } };
