/** Incidents as tools answer them. Titles, hypotheses and observations may quote what targets said. */
import type { Incident, IncidentEvent } from "@svc/contract";
import { untrusted } from "../answers/untrusted.ts";

/** Returns an incident as a list has it. */
export function incidentLine(incident: Incident): Record<string, unknown> {
  const { title, hypothesis } = incident;
  return {
    ...stateOf(incident),
    ...untrusted({ title, hypothesis: hypothesis.summary }),
  };
}

/** Returns an incident with its hypothesis, and with what was observed and done. */
export function incidentView(incident: Incident, events: readonly IncidentEvent[]): Record<string, unknown> {
  const { title, hypothesis, observations, recurrenceOf, mergedInto } = incident;
  return {
    ...stateOf(incident),
    acknowledgedByName: incident.acknowledgedByName,
    ...(recurrenceOf.length > 0 && { recurrenceOf }),
    ...(mergedInto && { mergedInto }),
    confidence: hypothesis.confidence,
    events: events.map(({ eventType, actor, occurredAt }) => ({
      type: eventType,
      by: actor.name ?? actor.type,
      at: occurredAt,
    })),
    ...untrusted({
      title,
      hypothesis,
      observations,
      notes: events.flatMap(({ payload }) => (payload.note ? [payload.note.body] : [])),
    }),
  };
}

function stateOf(incident: Incident): Record<string, unknown> {
  const { id, state, severity, openedAt, acknowledgedAt, resolvedAt, closedAt, triageUrl } = incident;
  return {
    id,
    state,
    severity,
    openedAt,
    ...(acknowledgedAt && { acknowledgedAt }),
    ...(resolvedAt && { resolvedAt }),
    ...(closedAt && { closedAt }),
    alerts: incident.memberCount,
    openAlerts: incident.openMemberCount,
    triageUrl,
  };
}
