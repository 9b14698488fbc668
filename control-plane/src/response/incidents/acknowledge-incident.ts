import type { IncidentId, IncidentState } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeIncident } from "./change-incident.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * Acknowledges an incident in the author's name. Its alerts stay as they are.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` unless the incident is open
 */
export async function acknowledgeIncident(
  { services, teamId, author }: TeamContext,
  { id }: { id: IncidentId },
): Promise<IncidentState> {
  const { state } = await changeIncident(services, {
    teamId,
    id,
    decide: (row, now) => ({
      type: "acknowledged",
      actorId: author.actor,
      detail: { previousState: row.state },
      patch: {
        state: stateAfter(row.state, "acknowledge"),
        acknowledgedAt: now,
        acknowledgedBy: author.actor,
      },
    }),
  });
  return state;
}
