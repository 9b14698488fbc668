import { type DeployPlan, type DeployPlanId, notFound } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { urlOf } from "./create-deploy-plan.ts";
import { findDeployPlan } from "./store.ts";

/**
 * Returns a published plan.
 * @throws DomainError `not_found`, also once it has expired
 */
export async function getDeployPlan(
  { services, teamId }: TeamContext,
  { id }: { id: DeployPlanId },
): Promise<DeployPlan> {
  const row = await findDeployPlan(services.knex, { teamId, id, nowMs: services.clock.nowMs() });
  if (!row) throw notFound("Plan");
  const { plan, ...about } = row;
  return { ...about, ...plan, url: urlOf(services.publicUrl(), id) };
}
