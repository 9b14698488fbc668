import type { IncidentId, IncidentState } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeStateByHand } from "./change-state-by-hand.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * Closes an incident in the author's name, whatever state its alerts are in. The next alert opens another incident.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` when the incident is closed
 */
export async function closeIncident(ctx: TeamContext, { id }: { id: IncidentId }): Promise<IncidentState> {
  return changeStateByHand(ctx, {
    id,
    type: "closed",
    patchOf: ({ state }, now) => ({
      state: stateAfter(state, "close"),
      closedAt: now,
      closedBy: ctx.author.actor,
    }),
  });
}
