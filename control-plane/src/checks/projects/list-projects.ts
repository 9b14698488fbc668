import type { ProjectStanding } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { readChangedResources, readProjects } from "./store.ts";

/** Returns the team's config projects as they stand, by name. */
export async function listProjects({ services, teamId }: TeamContext): Promise<ProjectStanding[]> {
  const projects = await readProjects(services.knex, teamId);
  const changed = projects.length === 0 ? [] : await readChangedResources(services.knex, teamId);
  return projects.map((one) => ({
    ...one,
    changed: changed.flatMap(({ project, ...resource }) => (project === one.project ? [resource] : [])),
  }));
}
