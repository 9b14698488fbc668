import type { IncidentState, TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/** Someone takes care of it. Its alerts stay as they are. @throws DomainError not_found, conflict (it is not open) */
export async function acknowledgeIncident(
  services: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<IncidentState> {
  const { state } = await changeIncident(services, teamId, id, (row, _trx, now) => ({
    ...{ type: "acknowledged", actorId, detail: { previousState: row.state } },
    patch: { state: stateAfter(row.state, "acknowledge"), acknowledgedAt: now, acknowledgedBy: actorId },
  }));
  return state;
}
