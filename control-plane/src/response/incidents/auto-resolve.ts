/** Resolves incidents whose alerts are all over and whose cool-down has passed. */
import type { IncidentId, TeamId } from "@svc/contract";
import { Failures } from "../../alerting/holds/failures.ts";
import type { Services } from "../../platform/services.ts";
import { changeIncident, type IncidentChange } from "./change-incident.ts";
import { COOL_DOWN_MS, mayAutoResolve, stateAfter } from "./lifecycle.ts";
import { readQuietIncidents } from "./store.ts";

/** Most incidents of one round. */
const INCIDENTS_MAX = 500;

/**
 * Resolves the incidents that are due. Harmless to repeat, and to run on two replicas at once. An incident that can't be
 * resolved does not keep the others from it.
 * @throws AggregateError of all failures, after every incident had its turn
 */
export async function autoResolve(services: Pick<Services, "knex" | "clock">): Promise<void> {
  const nowMs = services.clock.nowMs();
  const quiet = await readQuietIncidents(services.knex, new Date(nowMs - COOL_DOWN_MS), INCIDENTS_MAX);
  const failures = new Failures();
  for (const incident of quiet) await failures.collect(() => resolveQuietIncident(services, incident, nowMs));
  failures.throwAny("ends of incidents");
}

async function resolveQuietIncident(
  services: Pick<Services, "knex" | "clock">,
  incident: { id: IncidentId; teamId: TeamId },
  nowMs: number,
): Promise<void> {
  await changeIncident(services, {
    ...incident,
    decide: (row, now): IncidentChange | undefined => {
      const quietSinceMs = row.quietSince === null ? null : Date.parse(row.quietSince);
      // An alert may have joined since the incident was read without the lock.
      if (!mayAutoResolve(row.state, quietSinceMs, nowMs)) return undefined;
      return {
        type: "auto_resolved",
        actorId: null,
        detail: { previousState: row.state },
        patch: { state: stateAfter(row.state, "auto_resolve"), resolvedAt: now },
      };
    },
  });
}
