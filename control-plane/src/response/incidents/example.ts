/** An incident that never was, for trying a channel out. */
import type { IncidentEventPayload, IncidentEventType } from "@svc/contract";
import { newId } from "@svc/contract";
import type { AlertNotificationPayload, IncidentNotificationPayload } from "../../outbox/payload.ts";
import { fingerprintHash } from "./fingerprint.ts";

const LASTED_MS = 300_000;

/** What an event of the type tells. @param alert the alert that it is about */
export function exampleOfIncident(
  eventType: IncidentEventType,
  incidentId: string,
  alert: AlertNotificationPayload,
  nowMs: number,
): IncidentNotificationPayload {
  const instanceId = newId("alertInstance");
  const isByUser = ["acknowledged", "closed", "reopened", "note_added"].includes(eventType);
  const openedAt = new Date(nowMs - LASTED_MS).toISOString();
  const payload = payloadOf(eventType, instanceId, alert, openedAt);
  const aboutAlert = eventType === "opened" || eventType === "alert_attached";
  const { rule, check, severity, summary, startedAt, targetUrl, locations, traceId } = alert;
  return {
    ...{ eventId: newId("incidentEvent"), eventType, payload, occurredAt: new Date(nowMs).toISOString() },
    actor: isByUser ? { type: "user", id: newId("user") } : { type: "system", id: null },
    incident: { incidentId, title: payload.title, severity, openedAt, state: STATES[eventType] ?? "open" },
    alerts: aboutAlert
      ? [{ instanceId, rule, check, severity, summary, startedAt, targetUrl, locations, traceId }]
      : [],
    alertCount: aboutAlert ? 1 : 0,
  };
}

const STATES = { acknowledged: "acknowledged", auto_resolved: "resolved", closed: "closed" } as Partial<
  Record<IncidentEventType, "acknowledged" | "resolved" | "closed">
>;

function payloadOf(
  eventType: IncidentEventType,
  instanceId: string,
  { check, severity, locations }: AlertNotificationPayload,
  openedAt: string,
): IncidentEventPayload {
  const dimensions = ["domain:example.com", "host:example.com"];
  const isOver = eventType === "auto_resolved" || eventType === "closed";
  return {
    ...{ eventType, severity, title: "Example check: status 503, expected 200" },
    observations: {
      sources: ["synthetic_http"],
      syntheticHttp: {
        affectedChecks: [{ checkId: check.id, checkName: check.name }],
        symptomWindow: { startedAt: openedAt },
        errorSignature: {
          httpStatusCodes: [503],
          errorCategories: ["assertion"],
          locationsAffected: locations,
          sampleMessages: ["This is a test: status 503, expected 200"],
        },
        sharedFailingDomains: ["example.com"],
      },
    },
    hypothesis: {
      summary: "This is a test: example.com answers 503: the server itself is in trouble.",
      confidence: 0.75,
      ruledIn: ["error_category: assertion in 1 of 1 failing places", "http_status: 503"],
      ruledOut: ["dns: the name resolves", "network: the target accepts connections"],
      correlationDimensionsMatched: dimensions,
      scope: "external_symptoms_only",
    },
    ...{ fingerprintHash: fingerprintHash(dimensions), memberAlertInstanceIds: [instanceId] },
    ...{ memberCount: 1, openMemberCount: isOver ? 0 : 1, recurrenceOf: [] },
    ...(eventType === "alert_attached" ? { attachedAlertInstanceIds: [instanceId] } : {}),
    ...(eventType === "severity_changed" ? { previousSeverity: "warning" as const } : {}),
    ...(eventType === "note_added" ? { note: { id: newId("incidentNote"), body: "This is a test." } } : {}),
  };
}
