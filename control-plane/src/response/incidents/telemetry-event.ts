/** Telemetry events of incidents. Pure. */
import type { DerivedEvent } from "../../telemetry/derived-event-store.ts";
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
  return {
    teamId: incident.teamId,
    name: `synthetics.incident.${event.type}`,
    severity: incident.severity,
    attributes: {
      "synthetics.incident.id": incident.id,
      "synthetics.incident.event_id": event.id,
      "synthetics.incident.title": incident.title,
      "synthetics.incident.severity": incident.severity,
      "synthetics.incident.state": incident.state,
      "synthetics.incident.opened_at": incident.openedAt,
      "synthetics.incident.fingerprint_hash": incident.fingerprintHash,
      "synthetics.incident.member_count": incident.memberCount,
      "synthetics.incident.open_member_count": incident.openMemberCount,
      "synthetics.incident.recurrence_of": incident.recurrenceOf,
      "synthetics.incident.hypothesis.summary": hypothesis.summary,
      "synthetics.incident.hypothesis.confidence": hypothesis.confidence,
      "synthetics.incident.hypothesis.dimensions": hypothesis.correlationDimensionsMatched,
      "synthetics.incident.actor.type": actorId === null ? "system" : "user",
      "synthetics.incident.actor.id": actorId,
      "synthetics.incident.previous_severity": payload.previousSeverity,
      "synthetics.incident.previous_state": payload.previousState,
      "synthetics.incident.note.id": payload.note?.id,
      "synthetics.incident.note.body": payload.note?.body,
    },
    occurredAtMs: nowMs,
  };
}
