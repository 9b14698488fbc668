/** Config projects as they stand: what each deployed last, and what was changed since by anybody else. */
import * as z from "zod";
import { timestampSchema } from "../base/timestamp.ts";
import { DEPLOYED_KINDS } from "./deploy-baseline.ts";

/** Projects that are answered, and resources of all of them that were changed since. */
export const PROJECT_LIMITS = { projectsMax: 100, changedMax: 200 } as const;

const changedResourceSchema = z.object({
  kind: z.enum(DEPLOYED_KINDS),
  name: z.string().describe("Its name in the config."),
  resourceId: z.string(),
  isDeleted: z.boolean(),
  fields: z.array(z.string()).describe("Fields that were changed since, each once."),
  changedAt: timestampSchema.describe("The newest of these changes."),
  author: z.string().nullable(),
});

/** Schema of a project as it stands. */
export const projectStandingSchema = z
  .object({
    project: z.string(),
    deployedAt: timestampSchema,
    resources: z
      .array(z.object({ kind: z.enum(DEPLOYED_KINDS), count: z.number() }))
      .describe("Number of the resources that the last deploy left, by kind."),
    changed: z
      .array(changedResourceSchema)
      .describe(
        "Those that were changed since by anything but a deploy, the newest first: `svc deploy` will call them drift.",
      ),
  })
  .meta({ id: "ProjectStanding" });
/** A config project as it stands. */
export type ProjectStanding = z.infer<typeof projectStandingSchema>;
