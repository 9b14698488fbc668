/** Telemetry events of incidents. Pure. */
import { attributesOfEvent } from "../../telemetry/derived-events/define-derived-event.ts";
import { incidentEvent } from "../../telemetry/derived-events/incident-events.ts";
import type { DerivedEvent } from "../../telemetry/derived-events/store.ts";
import { actorTypeOf } from "./actor.ts";
import type { IncidentEventRow } from "./event-store.ts";
import type { IncidentRow } from "./row.ts";

/** Returns the telemetry event of an incident's event. Its attributes are described in docs/incidents.md. */
export function telemetryEventOf(
  incident: IncidentRow,
  event: IncidentEventRow,
  nowMs: number,
): DerivedEvent {
  const { payload, actorId } = event;
  const { hypothesis } = payload;
  const definition = incidentEvent(event.type);
  return {
    teamId: incident.teamId,
    name: definition.type,
    severity: incident.severity,
    attributes: attributesOfEvent(definition, {
      id: incident.id,
      eventId: event.id,
      title: incident.title,
      severity: incident.severity,
      state: incident.state,
      openedAt: incident.openedAt,
      fingerprintHash: incident.fingerprintHash,
      memberCount: incident.memberCount,
      openMemberCount: incident.openMemberCount,
      recurrenceOf: incident.recurrenceOf,
      hypothesisSummary: hypothesis.summary,
      hypothesisConfidence: hypothesis.confidence,
      hypothesisDimensions: hypothesis.correlationDimensionsMatched,
      actorType: actorTypeOf(actorId),
      actorId,
      previousSeverity: payload.previousSeverity,
      previousState: payload.previousState,
      noteId: payload.note?.id,
      noteBody: payload.note?.body,
    }),
    occurredAtMs: nowMs,
  };
}
