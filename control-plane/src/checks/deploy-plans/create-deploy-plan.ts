import {
  type CreateDeployPlan,
  DAY_MS,
  DEPLOY_PLAN_LIMITS,
  newId,
  type PublishedDeployPlan,
  pagePath,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { insertDeployPlan } from "./store.ts";

/** Publishes a plan for 30 days; the team's oldest goes when it has as many as it may. */
export async function createDeployPlan(
  { services, teamId, author }: TeamContext,
  plan: CreateDeployPlan,
): Promise<PublishedDeployPlan> {
  const nowMs = services.clock.nowMs();
  const id = newId("deployPlan");
  const expiresAt = new Date(nowMs + DEPLOY_PLAN_LIMITS.keptDays * DAY_MS);
  await services.knex.transaction((trx) =>
    insertDeployPlan(trx, {
      id,
      teamId,
      createdBy: author.actor,
      plan,
      createdAt: new Date(nowMs),
      expiresAt,
    }),
  );
  return { id, url: urlOf(services.publicUrl(), id), expiresAt: expiresAt.toISOString() };
}

/** Returns the address of a plan's page. */
export function urlOf(publicUrl: string, id: string): string {
  return `${publicUrl}${pagePath("plan", { id })}`;
}
