/** The common frame of everything that people, and time, do to an incident: the lock, the row, the event. */
import {
  type IncidentEventPayload,
  type IncidentEventType,
  type IncidentId,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { readTotals } from "./member-totals-store.ts";
import type { IncidentRow } from "./row.ts";
import { findIncidentRow, lockIncidents, updateIncidents } from "./store.ts";
import { writeReports } from "./write-reports.ts";

/** A change of an incident, and the event that reports it. */
export interface IncidentChange {
  patch: Partial<IncidentRow>;
  type: IncidentEventType;
  /** Id of the person or channel that acts; null for the service itself. */
  actorId: string | null;
  /** Fields that the event adds to its payload. */
  detail?: Partial<IncidentEventPayload>;
}

/** The incident to change, and the decision on the change under its lock. */
export interface ChangeIncidentInput {
  teamId: TeamId;
  id: IncidentId;
  /**
   * Maps the locked row to a change; undefined for none.
   * @param now ISO 8601; the `updatedAt` of the changed row
   * @throws DomainError `conflict` when the lifecycle has no such transition
   */
  decide(
    row: IncidentRow,
    now: string,
    trx: Knex,
  ): Promise<IncidentChange | undefined> | IncidentChange | undefined;
}

/**
 * Changes an incident that nobody else changes meanwhile, and reports the change.
 * @returns the row afterwards
 * @throws DomainError `not_found`, and whatever `decide` throws
 */
export async function changeIncident(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  { teamId, id, decide }: ChangeIncidentInput,
): Promise<IncidentRow> {
  return knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const row = await findIncidentRow(trx, teamId, id);
    if (!row) throw notFound("Incident");
    const nowMs = clock.nowMs();
    const now = new Date(nowMs).toISOString();
    const change = await decide(row, now, trx);
    if (!change) return row;
    const { patch, ...event } = change;
    const incident = { ...row, ...patch, updatedAt: now };
    await updateIncidents(trx, [incident]);
    const members = (await readTotals(trx, [row.key], { withSample: false })).get(row.key);
    const { instanceIds = [], channelIds = [] } = members ?? {};
    await writeReports(trx, [{ ...event, incident, instanceIds, channelIds }], nowMs);
    return incident;
  });
}
