import {
  type DeployBaseline,
  type DeployedResource,
  DomainError,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { countOthersExclusively, findBaseline, PROJECTS_MAX, writeBaseline } from "./store.ts";

/** Keeps what a deploy of the project left. Of two at once one wins, whole. @throws DomainError limit_exceeded */
export async function putBaseline(
  { knex, clock }: Services,
  teamId: TeamId,
  project: string,
  resources: readonly DeployedResource[],
): Promise<DeployBaseline> {
  return knex.transaction(async (trx) => {
    if ((await countOthersExclusively(trx, teamId, project)) >= PROJECTS_MAX)
      throw new DomainError("limit_exceeded", `A team deploys at most ${PROJECTS_MAX} projects`);
    await writeBaseline(trx, teamId, project, resources, clock.nowMs());
    const written = await findBaseline(trx, teamId, project);
    if (!written) throw notFound("Deploy baseline");
    return written;
  });
}
