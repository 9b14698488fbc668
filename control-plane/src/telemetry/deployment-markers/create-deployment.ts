import type { CreateDeployment, Deployment } from "@svc/contract";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { attributesOfEvent } from "../derived-events/define-derived-event.ts";
import { deploymentCreated } from "../derived-events/deployment-created.ts";
import { recordDerivedEvents } from "../derived-events/store.ts";
import { insertDeployment } from "./store.ts";

/**
 * Stores a deployment marker and, in the same transaction, its telemetry event. Each call makes one marker.
 * @throws DomainError `limit_exceeded` when the team has as many markers as it may
 */
export async function createDeployment(
  { services, teamId }: TeamContext,
  body: CreateDeployment,
): Promise<Deployment> {
  const nowMs = services.clock.nowMs();
  return services.knex.transaction(async (trx) => {
    const deployment = await insertDeployment(trx, teamId, { body, createdAtMs: nowMs });
    await recordDerivedEvents(trx, [
      {
        teamId,
        name: deploymentCreated.type,
        severity: "info",
        attributes: attributesOfEvent(deploymentCreated, deployment),
        occurredAtMs: nowMs,
      },
    ]);
    await assertWithinCaps(trx, { services, teamId });
    return deployment;
  });
}
