/** Answers of the commands that read or write a config: `init`, `validate`, `test`, `pull`, `import`, `generate`. */
import { assertionResultSchema, generatedConfigSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { configDetails, problemSchema } from "./problems.ts";

const count = z.number();
const files = z.array(z.string()).describe("Paths of the written files, relative to the working folder.");

/** Answers of `svc init`. */
export const init: Answers = { data: z.object({ project: z.string(), files }), details: { files } };

/** Answers of `svc validate`. */
export const validate: Answers = {
  data: z.object({
    valid: z.literal(true).describe("A config that is not valid is a failure with details.problems."),
    project: z.string(),
    monitors: count,
    alerts: count,
    channels: count,
    thirdPartyPatterns: count,
    slos: count,
    alertPolicies: count,
    rotas: count,
    incidentPolicy: z.boolean(),
    statusPages: count,
    maintenanceWindows: count,
    notes: z.array(problemSchema).describe("What is worth knowing and no mistake."),
  }),
  details: configDetails,
};

/** Answers of `svc test`. */
export const test: Answers = {
  data: z.object({
    results: z.array(
      z.object({
        name: z.string(),
        passed: z.boolean(),
        status: z.number().nullable().describe("HTTP status code; null: no HTTP response came."),
        responseTimeMs: z.number().nullable(),
        assertions: z.array(
          assertionResultSchema.extend({
            expected: z.unknown().optional(),
            actual: z.unknown().optional(),
            actualTruncated: z
              .literal(true)
              .optional()
              .describe("Present when actual is a shortened preview."),
          }),
        ),
        skipped: z.array(z.string()).describe("Types of assertions that only the service can judge."),
        error: z.string().optional().describe("Why no assertion was judged."),
      }),
    ),
    notRun: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        reason: z.string().optional().describe("Absent: monitors of its type are never run here."),
      }),
    ),
    summary: z.object({ passed: count, failed: count, notRun: count }),
  }),
  details: configDetails,
};

/** Answers of `svc pull`. */
export const pull: Answers = {
  data: z.object({
    project: z.string(),
    files,
    monitors: count,
    alerts: count,
    channels: count,
    thirdPartyPatterns: count,
    slos: count,
    alertPolicies: count,
    rotas: count,
    incidentPolicy: z.boolean(),
    statusPages: count,
    secrets: z
      .array(z.object({ name: z.string(), isSet: z.boolean() }))
      .describe("Environment variables that the config needs."),
    unmanaged: z
      .array(
        z.object({
          kind: z.enum(["check", "slo", "status_page"]),
          id: z.string(),
          name: z.string(),
          reason: z.string(),
        }),
      )
      .describe("What no config can describe; deploys leave it alone."),
    problems: z.array(z.string()).describe("Where the config differs from the service; exit code 4."),
    maintenanceWindowsNotWritten: count,
  }),
  details: { ...configDetails, files },
};

/** Answers of `svc import`. */
export const importing: Answers = {
  data: z.object({
    from: z.string(),
    project: z.string(),
    files,
    monitors: count,
    alerts: count,
    channels: count,
    monitorsLeftOut: count.describe("Monitors of the export that the config has nothing of; notes say why."),
    secrets: z
      .array(z.object({ name: z.string(), isSet: z.boolean() }))
      .describe("Environment variables that the config needs."),
    notes: z
      .array(
        z.object({
          file: z.string(),
          path: z.string().describe("Where it stands in the file: `tests[3].config`; empty: the whole file."),
          monitor: z.string().nullable(),
          effect: z.enum(["left_out", "changed"]),
          message: z.string(),
        }),
      )
      .describe("What was not carried over, or otherwise than it was."),
    omittedNotes: count.describe("Number of notes beyond those listed."),
  }),
  details: {
    from: z.string().describe("A source that nothing is imported from yet."),
    path: z.string().nullable(),
    output: z.string(),
    imported: z.number(),
    files,
    ...configDetails,
  },
};

/** Answers of `svc generate`. */
export const generate: Answers = {
  data: generatedConfigSchema.extend({
    files: files.describe(
      "Paths of the written files, relative to the working folder; empty without --output.",
    ),
  }),
  details: { retryAfterSeconds: z.number(), files },
};
