/** Routes of deploy baselines: what the command line deployed last, per project. */
import * as z from "zod";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  deployBaselineParams,
  deployBaselineSchema,
  putDeployBaselineSchema,
} from "../config/deploy-baseline.ts";
import { PROJECT_LIMITS, projectStandingSchema } from "../config/project-standing.ts";
import { defineRoute } from "./route.ts";

const tag = "Deploys";

/** Routes of deploy baselines, by operation. */
export const deployBaselineRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/deploy-baselines",
    access: "reads",
    tag,
    summary: "List what was deployed last, per project",
    query: cursorPageQuerySchema,
    answer: z.object({ baselines: z.array(deployBaselineSchema), ...nextCursorField }),
  }),
  listProjects: defineRoute({
    method: "GET",
    path: "/api/projects",
    access: "reads",
    tag,
    summary: "Tell what each config project deployed last, and what was changed since",
    description: `At most ${PROJECT_LIMITS.projectsMax} projects, and the ${PROJECT_LIMITS.changedMax} resources that were changed last.`,
    answer: z.object({ projects: z.array(projectStandingSchema) }),
  }),
  put: defineRoute({
    method: "PUT",
    path: "/api/deploy-baselines/:project",
    access: "changes",
    tag,
    summary: "Replace what a project's last deploy left",
    params: deployBaselineParams,
    body: putDeployBaselineSchema,
    answer: z.object({ baseline: deployBaselineSchema }),
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/deploy-baselines/:project",
    access: "changes",
    tag,
    summary: "Forget a project's deploys; its resources stay",
    params: deployBaselineParams,
    answer: successSchema,
  }),
};
