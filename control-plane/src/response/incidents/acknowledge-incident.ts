import type { IncidentId, IncidentState } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeStateByHand } from "./change-state-by-hand.ts";
import { stateAfter } from "./lifecycle.ts";

/**
 * Acknowledges an incident in the author's name. Its alerts stay as they are.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` unless the incident is open
 */
export async function acknowledgeIncident(
  ctx: TeamContext,
  { id }: { id: IncidentId },
): Promise<IncidentState> {
  return changeStateByHand(ctx, {
    id,
    type: "acknowledged",
    patchOf: ({ state }, now) => ({
      state: stateAfter(state, "acknowledge"),
      acknowledgedAt: now,
      acknowledgedBy: ctx.author.actor,
    }),
  });
}
