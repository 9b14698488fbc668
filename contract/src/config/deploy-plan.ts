/** Deploy plans: the changes that a deploy would make, published by `svc diff` so that people can look at them by a link. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { capacityStepSchema } from "../capacity/capacity.ts";
import { DEPLOYED_KINDS } from "./deploy-baseline.ts";
import { projectNameSchema } from "./svc-config.ts";

/** Bounds of deploy plans: changes of one, plans that a team keeps, and days for which one is kept. */
export const DEPLOY_PLAN_LIMITS = { changesMax: 2_000, keptMax: 50, keptDays: 30 } as const;

const nameSchema = z.string().max(600);
const ciTextSchema = z.string().max(1_000).nullable().default(null);

const plannedChangeSchema = closedObject({
  type: z.enum(["create", "update", "delete"]),
  kind: z.enum(DEPLOYED_KINDS),
  name: nameSchema.describe("Its name in the config; of an alert rule, with its monitor's."),
  remoteId: z.string().max(128).nullable(),
  drift: z
    .enum(["drift", "conflict"])
    .optional()
    .describe("Changed on the service since the last deploy; `conflict`: in the config, too."),
  holdsFor: closedObject({
    count: z.int().nonnegative(),
    monitors: z.array(nameSchema).max(50, "at most 50 names").describe("The first of them by name."),
  })
    .optional()
    .describe("Of alert policies: the monitors for which it holds after the deploy, or held before it goes."),
  fieldChanges: z
    .array(
      closedObject({
        field: z.string().max(1_000),
        oldValue: z.unknown(),
        newValue: z.unknown(),
        redacted: z.literal(true).optional().describe("Both values are hidden."),
      }),
    )
    .max(500, "at most 500 fields"),
});

const countSchema = z.int().nonnegative();

/** Body of POST /api/plans: what `svc diff` found, without the values of secrets. */
export const createDeployPlanSchema = closedObject({
  project: projectNameSchema,
  changes: z
    .array(plannedChangeSchema)
    .max(DEPLOY_PLAN_LIMITS.changesMax, `at most ${DEPLOY_PLAN_LIMITS.changesMax} changes`)
    .describe("What differs; resources that stay as they are are only counted."),
  summary: closedObject({
    create: countSchema,
    update: countSchema,
    delete: countSchema,
    unchanged: countSchema,
  }),
  prunable: z
    .array(closedObject({ kind: z.enum(DEPLOYED_KINDS), name: nameSchema }))
    .max(1_000, "at most 1000")
    .default([])
    .describe("Resources of the service that `svc deploy --prune` would delete."),
  capacity: z
    .array(capacityStepSchema)
    .max(1_000, "at most 1000 locations")
    .optional()
    .describe("What it would do to the locations that it touches; absent: nobody asked."),
  ci: closedObject({
    commit: ciTextSchema,
    branch: ciTextSchema,
    author: ciTextSchema,
    url: z
      .url({ protocol: /^https?$/, error: "expected an http or https URL" })
      .max(2_000)
      .nullable()
      .default(null)
      .describe("The run of the pipeline."),
  })
    .nullable()
    .default(null)
    .describe("What the plan was made from."),
});
/** Body of the request that publishes a plan. */
export type CreateDeployPlan = z.infer<typeof createDeployPlanSchema>;

/** Schema of a plan as the answer to its publication names it. */
export const publishedDeployPlanSchema = z.object({
  id: idSchema("deployPlan"),
  url: z.string().describe("The page that shows it, to people of the team."),
  expiresAt: timestampSchema,
});
/** Where a published plan is to be seen, and until when. */
export type PublishedDeployPlan = z.infer<typeof publishedDeployPlanSchema>;

/** Schema of a plan as the API answers it. */
export const deployPlanSchema = z
  .object({
    ...publishedDeployPlanSchema.shape,
    createdAt: timestampSchema,
    author: z.string().nullable().describe("Email address or name of the key that published it."),
    ...createDeployPlanSchema.shape,
  })
  .meta({ id: "DeployPlan" });
/** A published plan. */
export type DeployPlan = z.infer<typeof deployPlanSchema>;
