/** Payloads of reports about incidents: of the event that is stored, and of the notification. Pure. */
import {
  INCIDENT_MEMBERS_LISTED,
  type IncidentEventId,
  type IncidentEventPayload,
  type IncidentEventType,
} from "@svc/contract";
import { eventOfOccasion, occasionOf } from "../../outbox/incident-occasions/registry.ts";
import type { AlertExcerpt, IncidentNotificationPayload } from "../../outbox/payload.ts";
import { actorTypeOf } from "./actor.ts";
import type { IncidentReport, ReportedAlert } from "./report.ts";
import { snapshotOf } from "./row.ts";

/** Most alerts whose own words a notification holds. */
const ALERTS_MAX = 3;

/** Returns the payload of an event of this type. */
export function eventPayload(
  { incident, instanceIds, detail, alerts }: IncidentReport,
  eventType: IncidentEventType,
): IncidentEventPayload {
  return {
    eventType,
    observations: incident.observations,
    hypothesis: incident.hypothesis,
    title: incident.title,
    severity: incident.severity,
    fingerprintHash: incident.fingerprintHash,
    memberAlertInstanceIds: instanceIds.slice(0, INCIDENT_MEMBERS_LISTED),
    memberCount: incident.memberCount,
    openMemberCount: incident.openMemberCount,
    recurrenceOf: incident.recurrenceOf,
    ...(occasionOf(eventType).attachesAlerts && alerts && { attachedAlertInstanceIds: attachedIds(alerts) }),
    ...detail,
  };
}

/** Returns the payload of the notification about the report. */
export function notificationPayload(
  report: IncidentReport,
  eventId: IncidentEventId,
  nowMs: number,
): IncidentNotificationPayload {
  const { type, incident, actorId, alerts = [] } = report;
  return {
    eventId,
    eventType: type,
    occurredAt: new Date(nowMs).toISOString(),
    actor: { type: actorTypeOf(actorId), id: actorId },
    payload: eventPayload(report, eventOfOccasion(type)),
    incident: snapshotOf(incident),
    alerts: alerts.slice(0, ALERTS_MAX).map(excerptOf),
    alertCount: alerts.length,
  };
}

function attachedIds(alerts: readonly (ReportedAlert | AlertExcerpt)[]): string[] {
  return alerts.slice(0, INCIDENT_MEMBERS_LISTED).map(({ instanceId }) => instanceId);
}

function excerptOf(alert: ReportedAlert | AlertExcerpt): AlertExcerpt {
  if (!("payload" in alert)) return alert;
  const { instanceId, payload } = alert;
  const { rule, check, severity, summary, startedAt, targetUrl, locations, traceId } = payload;
  return { instanceId, rule, check, severity, summary, startedAt, targetUrl, locations, traceId };
}
