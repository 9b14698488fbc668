import { type DeployBaseline, type DeployedResource, DomainError, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { countOthersExclusively, findBaseline, PROJECTS_MAX, writeBaseline } from "./store.ts";

/**
 * Stores what a deploy of the project left, in place of the former baseline. Of two calls at once one wins, whole.
 * @throws DomainError `limit_exceeded` when the team has as many other projects as it may
 */
export async function putBaseline(
  { services, teamId }: TeamContext,
  { project, resources }: { project: string; resources: readonly DeployedResource[] },
): Promise<DeployBaseline> {
  const { knex, clock } = services;
  return knex.transaction(async (trx) => {
    if ((await countOthersExclusively(trx, teamId, project)) >= PROJECTS_MAX)
      throw new DomainError("limit_exceeded", `A team deploys at most ${PROJECTS_MAX} projects`);
    await writeBaseline(trx, { teamId, project, resources, updatedAt: new Date(clock.nowMs()) });
    const written = await findBaseline(trx, teamId, project);
    if (!written) throw notFound("Deploy baseline");
    return written;
  });
}
