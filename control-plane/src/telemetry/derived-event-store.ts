/**
 * What happened to a team beside results, alert instances and maintenance windows, one row each, written in the
 * transaction of what it tells of. Export reads them; the event feed does not.
 */
import { newId, type Severity, type TeamId, type TelemetryEventName } from "@svc/contract";
import type { Knex } from "knex";

/** Values as OpenTelemetry takes them; null and undefined are left out at export. */
export type EventAttributes = Record<
  string,
  string | number | boolean | readonly string[] | null | undefined
>;

export interface DerivedEvent {
  teamId: TeamId;
  name: TelemetryEventName;
  /** critical is exported as ERROR, warning as WARN, info as INFO. */
  severity: Severity;
  /** Of check-scoped events; its labels become resource attributes. */
  checkId?: string;
  /** Names of docs/telemetry.md. Team-scoped events: none; `service.name` is added at export. */
  resourceAttributes?: EventAttributes;
  attributes: EventAttributes;
  /** 32 hex digits. */
  traceId?: string | null;
  /** Unix ms. */
  occurredAtMs: number;
}

/** Puts events down, in the transaction of what they tell of. @returns their ids, in the same order */
export async function recordDerivedEvents(trx: Knex, events: readonly DerivedEvent[]): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = events.map(({ checkId, resourceAttributes, attributes, traceId, occurredAtMs, ...event }) => ({
    id: newId("derivedEvent"),
    ...event,
    checkId: checkId ?? null,
    resourceAttributes: resourceAttributes ?? {},
    attributes,
    traceId: traceId ?? null,
    occurredAt: new Date(occurredAtMs),
  }));
  await trx.raw(
    `INSERT INTO derived_events
       (id, team_id, name, severity, check_id, resource_attributes, attributes, trace_id, occurred_at)
     SELECT id, "teamId", name, severity, "checkId", "resourceAttributes", attributes, "traceId", "occurredAt"
     FROM json_to_recordset(?::json) AS u (id text, "teamId" text, name text, severity text, "checkId" text,
       "resourceAttributes" jsonb, attributes jsonb, "traceId" text, "occurredAt" timestamptz)`,
    [JSON.stringify(rows)],
  );
  return rows.map(({ id }) => id);
}
