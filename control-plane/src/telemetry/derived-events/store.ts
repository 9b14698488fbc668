/**
 * SQL of derived events: events of a team that follow from other records, such as an SLO warning, one row each. They are
 * written in the transaction of the record that they follow from. The export reads them all, the event feed those of locations.
 */
import { type CheckId, newId, type Severity, type TeamId, type TelemetryEventName } from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset } from "../../platform/db/recordset.ts";

/** A value of an attribute in a form that OpenTelemetry accepts; null and undefined are left out at export. */
export type EventValue = string | number | boolean | readonly string[] | null | undefined;

/** Values by the names of their attributes. */
export type EventAttributes = Record<string, EventValue>;

/** A derived event as it is stored. */
export interface DerivedEvent {
  teamId: TeamId;
  name: TelemetryEventName;
  /** critical is exported as ERROR, warning as WARN, info as INFO. */
  severity: Severity;
  /** The check of a check-scoped event; its labels become resource attributes. */
  checkId?: CheckId;
  /** Resource attributes beside those of the check; `service.name` is added at export. */
  resourceAttributes?: EventAttributes;
  attributes: EventAttributes;
  /** 32 hex digits. */
  traceId?: string | null;
  /** Unix ms. */
  occurredAtMs: number;
}

const DERIVED_EVENTS = defineRecordset({
  id: "text",
  teamId: "text",
  name: "text",
  severity: "text",
  checkId: "text",
  resourceAttributes: "jsonb",
  attributes: "jsonb",
  traceId: "text",
  occurredAt: "timestamptz",
});

/**
 * Stores events, in the transaction of the records that they follow from.
 * @returns their ids, in the order of the events
 */
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
  await trx.raw(DERIVED_EVENTS.insertInto("derived_events"), [JSON.stringify(rows)]);
  return rows.map(({ id }) => id);
}
