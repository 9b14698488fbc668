/** SQL of the events of incidents, and of notes. */
import type {
  IncidentEvent,
  IncidentEventId,
  IncidentEventPayload,
  IncidentEventType,
  IncidentId,
  IncidentNote,
  TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { actorTypeOf } from "./actor.ts";
import type { IncidentRow } from "./row.ts";

/** An event of an incident. `createdAt` is ISO 8601. */
export interface IncidentEventRow {
  id: IncidentEventId;
  teamId: TeamId;
  incidentKey: number;
  type: IncidentEventType;
  /** Id of the person or channel that acted; null for the service itself. */
  actorId: string | null;
  payload: IncidentEventPayload;
  createdAt: string;
}

const INCIDENT_EVENTS = defineRecordset({
  id: "text",
  teamId: "text",
  incidentKey: "bigint",
  type: "text",
  actorId: "text",
  payload: "jsonb",
  createdAt: "timestamptz",
});

/** Stores events. Their order is that of their ids, which sort within one millisecond, too. */
export async function insertIncidentEvents(trx: Knex, rows: readonly IncidentEventRow[]): Promise<void> {
  if (rows.length === 0) return;
  await trx.raw(INCIDENT_EVENTS.insertInto("incident_events"), [JSON.stringify(rows)]);
}

/** Returns the events of an incident, oldest first. */
export async function readIncidentEvents(
  db: Knex,
  incident: { key: number; id: IncidentId },
): Promise<IncidentEvent[]> {
  const rows = await queryRows<
    Omit<IncidentEventRow, "teamId" | "incidentKey"> & { actorName: string | null }
  >(
    db,
    `SELECT id, type, actor_id, actor_name(actor_id) AS actor_name, payload, created_at
     FROM incident_events WHERE incident_key = ? ORDER BY created_at, id`,
    [incident.key],
  );
  return rows.map(({ id, type, actorId, actorName, payload, createdAt }) => ({
    id,
    incidentId: incident.id,
    eventType: type,
    occurredAt: createdAt,
    payload,
    actor: { type: actorTypeOf(actorId), id: actorId, name: actorName },
  }));
}

/** Returns the instant at which the incident's state changed last, Unix ms; undefined when it never did. */
export async function findLastStateChangeMs(db: Knex, incidentKey: number): Promise<number | undefined> {
  const [row] = await queryRows<{ changedAt: string | null }>(
    db,
    `SELECT max(created_at) AS changed_at FROM incident_events
     WHERE incident_key = ? AND payload->>'previousState' IS NOT NULL`,
    [incidentKey],
  );
  return row?.changedAt == null ? undefined : Date.parse(row.changedAt);
}

/** Stores a note of an incident. */
export async function insertNote(
  trx: Knex,
  { key: incidentKey, teamId }: Pick<IncidentRow, "key" | "teamId">,
  { id, body, authorId, createdAt }: Omit<IncidentNote, "incidentId" | "authorName">,
): Promise<void> {
  await trx("incidentNotes").insert({ id, incidentKey, teamId, body, authorId, createdAt });
}
