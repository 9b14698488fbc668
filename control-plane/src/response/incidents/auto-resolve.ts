/** Ends incidents whose alerts are all over and whose cool-down has passed. */
import type { TeamId } from "@svc/contract";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import type { Services } from "../../platform/services.ts";
import { changeIncident } from "./change-incident.ts";
import { COOL_DOWN_MS, mayAutoResolve, stateAfter } from "./lifecycle.ts";
import { readQuietIncidents } from "./store.ts";

const INCIDENTS_AT_ONCE = 500;

/**
 * One look. Harmless to repeat, and to overlap with another replica's. One that can't be ended does not keep the others from it.
 * @throws AggregateError of what went wrong, when all have had their turn
 */
export async function autoResolve(services: Pick<Services, "knex" | "clock">): Promise<void> {
  const nowMs = services.clock.nowMs();
  const quiet = await readQuietIncidents(services.knex, new Date(nowMs - COOL_DOWN_MS), INCIDENTS_AT_ONCE);
  const errors: unknown[] = [];
  for (const incident of quiet)
    try {
      await resolveQuietIncident(services, incident, nowMs);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      errors.push(error);
    }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} incidents could not be ended`);
}

function resolveQuietIncident(
  services: Pick<Services, "knex" | "clock">,
  { id, teamId }: { id: string; teamId: TeamId },
  nowMs: number,
) {
  return changeIncident(services, teamId, id, (row, _trx, now) => {
    const quietSinceMs = row.quietSince === null ? null : Date.parse(row.quietSince);
    // An alert may have joined since it was looked for.
    if (!mayAutoResolve(row.state, quietSinceMs, nowMs)) return undefined;
    return {
      ...{ type: "auto_resolved", actorId: null, detail: { previousState: row.state } },
      patch: { state: stateAfter(row.state, "auto_resolve"), resolvedAt: now },
    };
  });
}
