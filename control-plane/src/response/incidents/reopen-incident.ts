import { DomainError, type IncidentState, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * It was not over. Without an open alert the cool-down begins anew.
 * @throws DomainError not_found, conflict (it is open or acknowledged, or its alerts are another incident's)
 */
export async function reopenIncident(
  services: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<IncidentState> {
  const { state } = await changeIncident(services, teamId, id, (row, _trx, now) => {
    const state = stateAfter(row.state, "reopen");
    if (row.mergedInto !== null)
      throw new DomainError("conflict", `Incident is part of ${row.mergedInto}; reopen that one`);
    return {
      ...{ type: "reopened", actorId, detail: { previousState: row.state } },
      patch: {
        state,
        ...{ acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null, closedAt: null, closedBy: null },
        quietSince: row.openMemberCount === 0 ? now : null,
      },
    };
  });
  return state;
}
