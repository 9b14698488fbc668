import { DomainError, type IncidentId, type IncidentState } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeStateByHand } from "./change-state-by-hand.ts";
import { stateAfter } from "./lifecycle.ts";
import type { IncidentRow } from "./row.ts";

/**
 * Reopens an incident that was not over after all. Without an open alert its cool-down begins anew.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` when the incident is open or acknowledged, or was folded into another
 */
export async function reopenIncident(ctx: TeamContext, { id }: { id: IncidentId }): Promise<IncidentState> {
  return changeStateByHand(ctx, {
    id,
    type: "reopened",
    patchOf: reopened,
  });
}

function reopened(row: IncidentRow, now: string): Partial<IncidentRow> {
  const state = stateAfter(row.state, "reopen");
  if (row.mergedInto !== null)
    throw new DomainError("conflict", `Incident is part of ${row.mergedInto}; reopen that one`);
  return {
    state,
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedAt: null,
    closedAt: null,
    closedBy: null,
    quietSince: row.openMemberCount === 0 ? now : null,
  };
}
