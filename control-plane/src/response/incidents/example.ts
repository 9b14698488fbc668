/** An incident that never was, for trying a channel out. */
import {
  type IncidentEventPayload,
  type IncidentEventType,
  type IncidentId,
  MINUTE_MS,
  newId,
} from "@svc/contract";
import { occasionOf } from "../../outbox/incident-occasions/registry.ts";
import type {
  AlertExcerpt,
  AlertNotificationPayload,
  IncidentNotificationPayload,
} from "../../outbox/payload.ts";
import { fingerprintHash } from "./fingerprint.ts";

const LASTED_MS = 5 * MINUTE_MS;
const DIMENSIONS = ["domain:example.com", "host:example.com"];

/** The event and the alert of the made-up incident. */
export interface ExampleIncidentInput {
  eventType: IncidentEventType;
  incidentId: IncidentId;
  /** The one alert of the incident. */
  alert: AlertNotificationPayload;
  /** Unix ms. */
  nowMs: number;
}

/** Returns the payload of a notification about an event of the example. */
export function exampleOfIncident(input: ExampleIncidentInput): IncidentNotificationPayload {
  const { eventType, incidentId, alert, nowMs } = input;
  const { isByUser, state = "open", isAboutAlert } = occasionOf(eventType).example ?? {};
  const { rule, check, severity, summary, startedAt, targetUrl, locations, traceId } = alert;
  const instanceId = newId("alertInstance");
  const excerpt = { instanceId, rule, check, severity, summary, startedAt, targetUrl, locations, traceId };
  const openedAt = new Date(nowMs - LASTED_MS).toISOString();
  const payload = payloadOf(eventType, excerpt, openedAt);
  return {
    eventId: newId("incidentEvent"),
    eventType,
    payload,
    occurredAt: new Date(nowMs).toISOString(),
    actor: isByUser ? { type: "user", id: newId("user") } : { type: "system", id: null },
    incident: { incidentId, title: payload.title, severity, openedAt, state },
    alerts: isAboutAlert ? [excerpt] : [],
    alertCount: isAboutAlert ? 1 : 0,
  };
}

function payloadOf(
  eventType: IncidentEventType,
  alert: AlertExcerpt,
  openedAt: string,
): IncidentEventPayload {
  const { instanceId, check, severity, locations } = alert;
  return {
    eventType,
    severity,
    title: "Example check: status 503, expected 200",
    observations: {
      sources: ["synthetic_http"],
      syntheticHttp: {
        affectedChecks: check ? [{ checkId: check.id, checkName: check.name }] : [],
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
      ruledIn: ["error_category: assertion in 1 of 1 failing locations", "http_status: 503"],
      ruledOut: ["dns: the name resolves", "network: the target accepts connections"],
      correlationDimensionsMatched: DIMENSIONS,
      scope: "external_symptoms_only",
    },
    fingerprintHash: fingerprintHash(DIMENSIONS),
    memberAlertInstanceIds: [instanceId],
    memberCount: 1,
    openMemberCount: occasionOf(eventType).isEnding ? 0 : 1,
    recurrenceOf: [],
    ...occasionOf(eventType).example?.detail?.(alert),
  };
}
