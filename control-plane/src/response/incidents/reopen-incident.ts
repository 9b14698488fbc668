import { DomainError, type IncidentId, type IncidentState } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeStateByHand } from "./change-state-by-hand.ts";
import { isActive, stateAfter } from "./lifecycle.ts";
import { findOtherOutage } from "./location-outage-store.ts";
import type { IncidentRow } from "./row.ts";

/**
 * Reopens an incident that was not over after all. Without an open alert its cool-down begins anew.
 * @returns the state afterwards
 * @throws DomainError `not_found`; `conflict` when the incident is open or acknowledged, was folded into another, or is that of a location
 *   which is cut off and has another by now
 */
export async function reopenIncident(ctx: TeamContext, { id }: { id: IncidentId }): Promise<IncidentState> {
  return changeStateByHand(ctx, {
    id,
    type: "reopened",
    patchOf: reopened,
  });
}

async function reopened(row: IncidentRow, now: string, trx: Knex): Promise<Partial<IncidentRow>> {
  const state = stateAfter(row.state, "reopen");
  if (row.mergedInto !== null)
    throw new DomainError("conflict", `Incident is part of ${row.mergedInto}; reopen that one`);
  await assertNoOtherOutage(trx, row);
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

/** Nothing but the incident of an outage that lasts is kept from being resolved after its cool-down. */
async function assertNoOtherOutage(trx: Knex, { key }: IncidentRow): Promise<void> {
  const other = await findOtherOutage(trx, key);
  if (!other) return;
  const { locationName, incidentId, state } = other;
  const advice = isActive(state) ? "" : "; reopen that one";
  throw new DomainError(
    "conflict",
    `Location ${locationName} can't reach its targets, and its incident is ${incidentId} now${advice}`,
  );
}
