/** Answers of `svc deploy` and `svc diff`: the plan, and what became of it. */
import {
  alertPreviewSchema,
  capacityPreviewSchema,
  checkTypes,
  DEPLOYED_KINDS,
  publishedDeployPlanSchema,
  RESULT_STATUSES,
} from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";
import { configDetails } from "./problems.ts";

const kind = z.enum(DEPLOYED_KINDS);
const name = z.string();
const type = z.enum(["create", "update", "delete", "unchanged"]);
const remoteId = z.string().nullable().describe("Id on the service; null: it is created.");
const drift = z
  .enum(["drift", "conflict"])
  .describe("drift: it was changed on the service since the last deploy; conflict: in the config as well.");

const changes = z.array(
  z
    .object({
      type,
      kind,
      name,
      remoteId,
      fieldChanges: z.array(
        z.object({
          field: z.string(),
          oldValue: z.unknown().optional().describe("Absent: the field was not set."),
          newValue: z.unknown().optional().describe("Absent: the field is removed."),
          redacted: z.literal(true).optional().describe("Present when both values are hidden."),
        }),
      ),
      drift: drift.optional(),
      monitors: z.array(z.string()).optional().describe("Of an alert policy: those for which it holds."),
      checkType: z.enum(checkTypes.types).optional().describe("Of a check."),
      frequencySeconds: z.number().optional().describe("Of a check that is created."),
      locationCount: z.number().optional().describe("Of a check that is created."),
    })
    .meta({ id: "PlannedChange" }),
);
const driftedSchema = z.object({ kind, name, remoteId, result: drift });
const drifted = z.array(driftedSchema);
const limits = z.array(z.object({ limit: z.string(), message: z.string() }));
const count = z.number();

const planFields = {
  project: z.string(),
  renamedFrom: z.string().optional().describe("Former name of the project, whose resources are taken over."),
  changes,
  summary: z.object({ create: count, update: count, delete: count, unchanged: count }),
  drift: drifted,
  prunable: z.array(z.object({ kind, name })).describe("What --prune would delete."),
  leftAlone: z
    .array(z.object({ kind, name, id: z.string(), reason: z.string() }))
    .describe("What the config doesn't have and no deploy deletes."),
  locationNotices: z.array(z.object({ monitor: z.string(), locationId: z.string(), message: z.string() })),
  capacity: capacityPreviewSchema.optional().describe("Absent when the service could not tell."),
  limits: limits.optional().describe("Limits that the deploy would exceed. In plans only."),
  dryRun: z.boolean().describe("True: nothing was changed."),
  skipped: z
    .array(driftedSchema.partial({ result: true }))
    .optional()
    .describe("Left alone because of --accept-remote; without `result`: it depends on one that is."),
};

const figures = alertPreviewSchema.pick({
  count: true,
  durationMs: true,
  unconfirmed: true,
  notReplayable: true,
});

const step = z.object({ type, kind, name });

const details = {
  ...configDetails,
  drift: drifted,
  changes,
  limits,
  ids: z.array(z.string()),
  unknownIds: z.array(z.object({ monitor: z.string(), field: z.string(), id: z.string() })),
  unknownSecrets: z.array(z.object({ monitor: z.string(), field: z.string(), name: z.string() })),
};

/** Answers of `svc diff`. */
export const diff: Answers = {
  data: z.object({
    ...planFields,
    limits: planFields.limits.unwrap(),
    backtest: z
      .array(
        z.object({
          name,
          monitor: z.string(),
          range: z.string(),
          after: figures
            .nullable()
            .describe("null: the deploy creates the monitor, which has no results yet."),
          before: figures.optional().describe("By the rule as it is now; absent: the deploy creates it."),
        }),
      )
      .optional()
      .describe("With --backtest."),
    published: publishedDeployPlanSchema.optional().describe("With --publish."),
  }),
  details,
};

/** Answers of `svc deploy`. */
export const deploy: Answers = {
  data: z.object({
    ...planFields,
    applied: z.number().optional().describe("Changes that were made; absent in a plan."),
    firstResults: z
      .array(
        z.object({
          name,
          checkId: z.string(),
          status: z.enum(RESULT_STATUSES).nullable().describe("null: no result came in time."),
        }),
      )
      .optional()
      .describe("With --wait."),
  }),
  details: {
    ...details,
    applied: z
      .union([z.array(step), z.number()])
      .describe("The changes that were made; their number where all were, and only waiting failed."),
    failed: z.array(step.extend({ message: z.string(), exitCode: z.number() })),
    appliedInPart: z.array(step),
    notApplied: z.array(step),
  },
};
