import type { IncidentState, TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * Someone declares it over, whatever its alerts do; the next alert opens another one.
 * @throws DomainError not_found, conflict (it is closed)
 */
export async function closeIncident(
  services: Services,
  teamId: TeamId,
  id: string,
  actorId: string,
): Promise<IncidentState> {
  const { state } = await changeIncident(services, teamId, id, (row, _trx, now) => ({
    ...{ type: "closed", actorId, detail: { previousState: row.state } },
    patch: { state: stateAfter(row.state, "close"), closedAt: now, closedBy: actorId },
  }));
  return state;
}
