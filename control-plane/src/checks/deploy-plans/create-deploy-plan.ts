import {
  type CreateDeployPlan,
  DAY_MS,
  DEPLOY_PLAN_LIMITS,
  newId,
  type PublishedDeployPlan,
  pagePath,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { listSealedSecrets } from "../team-secrets/store.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { insertDeployPlan } from "./store.ts";

/** Longest values of secrets that are searched for, bytes as they are sealed: a whole plan has at most 1 MiB. */
const SEALED_BYTES_MAX = 16 * 1024;

/**
 * Publishes a plan for 30 days; the team's oldest goes when it has as many as it may. Whatever is secret in it is hidden before it
 * is stored, whether the client has hidden it or not.
 */
export async function createDeployPlan(
  { services, teamId, author }: TeamContext,
  plan: CreateDeployPlan,
): Promise<PublishedDeployPlan> {
  const nowMs = services.clock.nowMs();
  const sealed = await listSealedSecrets(services.knex, teamId, SEALED_BYTES_MAX);
  const values = sealed.map(({ id, value }) => services.secrets.open(value, id));
  const id = newId("deployPlan");
  const expiresAt = new Date(nowMs + DEPLOY_PLAN_LIMITS.keptDays * DAY_MS);
  await services.knex.transaction((trx) =>
    insertDeployPlan(trx, {
      id,
      teamId,
      createdBy: author.actor,
      plan: hideSecrets(plan, values),
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
