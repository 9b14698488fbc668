import { type CreateDeployment, type Deployment, newId, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { recordDerivedEvents } from "../derived-event-store.ts";
import { insertDeployment } from "./store.ts";

/** Records a deployment and, in the same transaction, the event that telemetry exports. Each call is one deployment. */
export async function createDeployment(
  { knex, clock }: Services,
  teamId: TeamId,
  body: CreateDeployment,
): Promise<Deployment> {
  const nowMs = clock.nowMs();
  return knex.transaction(async (trx) => {
    const deployment = await insertDeployment(trx, newId("deployment"), teamId, body, nowMs);
    await recordDerivedEvents(trx, [
      {
        teamId,
        name: "synthetics.deployment.created",
        severity: "info",
        attributes: {
          "synthetics.deployment.id": deployment.id,
          "synthetics.deployment.service": deployment.service,
          "synthetics.deployment.version": deployment.version,
          "synthetics.deployment.environment": deployment.environment,
          "synthetics.deployment.commit_sha": deployment.commitSha,
          "synthetics.deployment.commit_message": deployment.commitMessage,
          "synthetics.deployment.deployed_by": deployment.deployedBy,
          "synthetics.deployment.source": deployment.source,
        },
        occurredAtMs: nowMs,
      },
    ]);
    return deployment;
  });
}
