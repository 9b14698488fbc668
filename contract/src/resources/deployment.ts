/** Deployment markers: records of a team's deployments, so that an incident can be compared with them. */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";

const NAME_MAX = 255;
const MESSAGE_MAX = 4_096;

const nameSchema = z
  .string()
  .min(1, "has at least 1 character")
  .max(NAME_MAX, `has at most ${NAME_MAX} characters`);

/** Body of POST /api/events/deployments. Its field names are in snake case because CI systems write them so. */
export const createDeploymentSchema = closedObject({
  service: nameSchema.describe("What was deployed."),
  version: nameSchema,
  environment: nameSchema.nullable().default(null),
  commit_sha: nameSchema.nullable().default(null),
  commit_message: z
    .string()
    .max(MESSAGE_MAX, `has at most ${MESSAGE_MAX} characters`)
    .nullable()
    .default(null),
  deployed_by: nameSchema.nullable().default(null),
  source: nameSchema.nullable().default(null).describe("Who tells of it, e.g. the CI system."),
});
/** Body of the request that reports a deployment, defaults filled in. */
export type CreateDeployment = z.infer<typeof createDeploymentSchema>;

/** Schema of a marker as the API answers it. */
export const deploymentSchema = z
  .object({
    id: idSchema("deployment"),
    teamId: idSchema("team"),
    service: z.string(),
    version: z.string(),
    environment: z.string().nullable(),
    commitSha: z.string().nullable(),
    commitMessage: z.string().nullable(),
    deployedBy: z.string().nullable(),
    source: z.string().nullable(),
    createdAt: timestampSchema.describe("When it was reported to the service."),
  })
  .meta({ id: "Deployment" });
/** A deployment marker. */
export type Deployment = z.infer<typeof deploymentSchema>;

/** Schema of the query of the list of deployments. */
export const deploymentsQuerySchema = z.object({
  service: z.string().max(NAME_MAX).optional().describe("Only those of this service, by its exact name."),
  ...pageQuerySchema.shape,
});
/** Query of GET /api/deployments. */
export type DeploymentsQuery = z.infer<typeof deploymentsQuerySchema>;
