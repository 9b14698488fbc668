/** What people, and time, do to an incident shares this: the lock, the row, the event. */
import { type IncidentEventPayload, type IncidentEventType, notFound, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { readTotals } from "./member-store.ts";
import type { IncidentRow } from "./row.ts";
import { findIncidentRow, lockIncidents, updateIncidents } from "./store.ts";
import { writeHappened } from "./write-events.ts";

/** What an action makes of an incident. */
export interface IncidentChange {
  patch: Partial<IncidentRow>;
  type: IncidentEventType;
  /** A user; null: the service itself. */
  actorId: string | null;
  detail?: Partial<IncidentEventPayload>;
}

/**
 * Changes an incident that nobody else changes meanwhile, and tells of it.
 * @param decide sees it as it is; undefined: nothing happens; throws DomainError conflict where the way doesn't exist
 * @returns it afterwards   @throws DomainError not_found, and what `decide` throws
 */
export async function changeIncident(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  teamId: TeamId,
  id: string,
  decide: (
    row: IncidentRow,
    trx: Knex,
    now: string,
  ) => Promise<IncidentChange | undefined> | IncidentChange | undefined,
): Promise<IncidentRow> {
  return knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const row = await findIncidentRow(trx, teamId, id);
    if (!row) throw notFound("Incident");
    const nowMs = clock.nowMs();
    const now = new Date(nowMs).toISOString();
    const change = await decide(row, trx, now);
    if (!change) return row;
    const incident = { ...row, ...change.patch, updatedAt: now };
    await updateIncidents(trx, [incident]);
    const members = (await readTotals(trx, [row.key], false)).get(row.key);
    const { type, actorId, detail } = change;
    await writeHappened(
      trx,
      [
        {
          ...{ type, incident, actorId },
          ...{ instanceIds: members?.instanceIds ?? [], channelIds: members?.channelIds ?? [] },
          ...(detail ? { detail } : {}),
        },
      ],
      nowMs,
    );
    return incident;
  });
}
