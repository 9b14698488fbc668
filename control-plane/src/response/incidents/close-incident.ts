import type { IncidentId, IncidentState } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * Closes an incident in the author's name, whatever state its alerts are in. The next alert opens another incident.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` when the incident is closed
 */
export async function closeIncident(
  { services, teamId, author }: TeamContext,
  { id }: { id: IncidentId },
): Promise<IncidentState> {
  const { state } = await changeIncident(services, {
    teamId,
    id,
    decide: (row, now) => ({
      type: "closed",
      actorId: author.actor,
      detail: { previousState: row.state },
      patch: { state: stateAfter(row.state, "close"), closedAt: now, closedBy: author.actor },
    }),
  });
  return state;
}
