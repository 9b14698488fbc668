import { type DeployBaseline, type DeployedResource, notFound } from "@svc/contract";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { findBaseline, writeBaseline } from "./store.ts";

/**
 * Stores what a deploy of the project left, in place of the former baseline. Of two calls at once one wins, whole.
 * @throws DomainError `limit_exceeded` when the team would have more projects, or more bytes of them, than it may
 */
export async function putBaseline(
  ctx: TeamContext,
  { project, resources }: { project: string; resources: readonly DeployedResource[] },
): Promise<DeployBaseline> {
  const { services, teamId } = ctx;
  const { knex, clock } = services;
  return knex.transaction(async (trx) => {
    await writeBaseline(trx, { teamId, project, resources, updatedAt: new Date(clock.nowMs()) });
    const written = await findBaseline(trx, teamId, project);
    if (!written) throw notFound("Deploy baseline");
    await assertWithinCaps(trx, ctx);
    return written;
  });
}
