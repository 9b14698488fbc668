import type { IncidentState } from "@svc/contract";
import type { Services } from "../services.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * It was not over. Without an open alert the cool-down begins anew.
 * @throws DomainError not_found, conflict (it is open or acknowledged)
 */
export async function reopenIncident(
  services: Services,
  teamId: string,
  id: string,
  actorId: string,
): Promise<IncidentState> {
  const { state } = await changeIncident(services, teamId, id, (row, _trx, now) => ({
    ...{ type: "reopened", actorId, detail: { previousState: row.state } },
    patch: {
      state: stateAfter(row.state, "reopen"),
      ...{ acknowledgedAt: null, acknowledgedBy: null, resolvedAt: null, closedAt: null, closedBy: null },
      quietSince: row.openMemberCount === 0 ? now : null,
    },
  }));
  return state;
}
