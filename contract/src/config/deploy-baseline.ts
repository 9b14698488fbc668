/**
 * Deploy baselines: the resources that the command line deployed last, per project. A machine without a state file of its
 * own compares with them to see whether someone has changed a resource since.
 */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { projectNameSchema } from "./svc-config.ts";

/** Kinds of resources that `svc deploy` manages. */
export const DEPLOYED_KINDS = [
  "channel",
  "check",
  "alert",
  "third_party_pattern",
  "slo",
  "maintenance_window",
  "alert_policy",
  "rota",
  "incident_policy",
  "status_page",
] as const;
/** Kind of resource that `svc deploy` manages. */
export type DeployedKind = (typeof DEPLOYED_KINDS)[number];

/** Schema of a resource as a deploy left it. */
export const deployedResourceSchema = closedObject({
  kind: z.enum(DEPLOYED_KINDS),
  name: z.string().min(1).max(600).describe("Its name in the config; of an alert rule, with its monitor's."),
  resourceId: z.string().min(1).max(128),
  hash: z.string().min(1).max(128).describe("Of what was applied, secrets left out."),
  updatedAt: z.string().min(1).max(64).describe("When the service says it last changed."),
  labels: z.array(z.string().max(128)).max(100).optional(),
});
/** One resource as it was after the last deploy of its project. */
export type DeployedResource = z.infer<typeof deployedResourceSchema>;

const RESOURCES_MAX = 50_000;

/** Body of PUT /api/deploy-baselines/:project: the full list. */
export const putDeployBaselineSchema = closedObject({
  resources: z.array(deployedResourceSchema).max(RESOURCES_MAX, `at most ${RESOURCES_MAX} resources`),
});

/** Schema of the path parameters of a deploy baseline: the project it belongs to. */
export const deployBaselineParams = z.object({ project: projectNameSchema });

/** Schema of a deploy baseline: the resources that a project deployed last. */
export const deployBaselineSchema = z
  .object({
    project: z.string(),
    resources: z.array(deployedResourceSchema),
    updatedAt: timestampSchema,
  })
  .meta({ id: "DeployBaseline" });
/** The resources of one project as they were after its last deploy. */
export type DeployBaseline = z.infer<typeof deployBaselineSchema>;
