import type { IncidentEventType, IncidentId, IncidentState } from "@svc/contract";
import type { Knex } from "knex";
import type { TeamContext } from "../../platform/team-context.ts";
import { changeIncident } from "./change-incident.ts";
import type { IncidentRow } from "./row.ts";

/** Change of an incident's state by the author of a request. */
export interface ChangeByHand {
  id: IncidentId;
  /** Event that the change is recorded as. */
  type: IncidentEventType;
  /**
   * Returns the columns to change. Called under the lock of the team's incidents.
   * @param now ISO 8601
   * @throws DomainError `conflict` when the incident's state does not allow the change
   */
  patchOf: (row: IncidentRow, now: string, trx: Knex) => Promise<Partial<IncidentRow>> | Partial<IncidentRow>;
}

/**
 * Changes the state of an incident in the author's name, and records the state before.
 * @returns the state afterwards
 * @throws DomainError `not_found`; any error of `patchOf`
 */
export async function changeStateByHand(
  { services, teamId, author }: TeamContext,
  { id, type, patchOf }: ChangeByHand,
): Promise<IncidentState> {
  const { state } = await changeIncident(services, {
    teamId,
    id,
    decide: async (row, now, trx) => ({
      type,
      actorId: author.actor,
      detail: { previousState: row.state },
      patch: await patchOf(row, now, trx),
    }),
  });
  return state;
}
