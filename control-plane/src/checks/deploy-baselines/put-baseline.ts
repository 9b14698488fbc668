import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { writeBaseline } from "./store.ts";

/**
 * Stores what a deploy of the project left, in place of the former baseline. Of two calls at once one wins, whole.
 * @param input.resources the list of resources as JSON text, valid by the schema
 * @throws DomainError `limit_exceeded` when the team would have more projects, or more bytes of them, than it may
 */
export async function putBaseline(
  ctx: TeamContext,
  { project, resources }: { project: string; resources: string },
): Promise<{ updatedAt: Date }> {
  const { services, teamId } = ctx;
  const { knex, clock } = services;
  const updatedAt = new Date(clock.nowMs());
  await knex.transaction(async (trx) => {
    await writeBaseline(trx, { teamId, project, resources, updatedAt });
    await assertWithinCaps(trx, ctx);
  });
  return { updatedAt };
}
