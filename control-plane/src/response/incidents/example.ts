/** An incident that never was, for trying a channel out. */
import {
  type IncidentEventPayload,
  type IncidentEventType,
  type IncidentId,
  type IncidentState,
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

/** Fields of the example that only some events have. */
interface EventTraits {
  /** True when a person acted. */
  isByUser?: true;
  /** State of the incident after the event. Default open. */
  state?: IncidentState;
  /** True when the event is about the example alert. */
  isAboutAlert?: true;
  /** Returns the fields that the event adds to its payload. */
  detail?: (alert: AlertExcerpt) => Partial<IncidentEventPayload>;
}

const EVENTS: Record<IncidentEventType, EventTraits> = {
  opened: { isAboutAlert: true },
  alert_attached: {
    isAboutAlert: true,
    detail: ({ instanceId }) => ({ attachedAlertInstanceIds: [instanceId] }),
  },
  severity_changed: { detail: () => ({ previousSeverity: "warning" }) },
  acknowledged: { isByUser: true, state: "acknowledged" },
  auto_resolved: { state: "resolved" },
  closed: { isByUser: true, state: "closed" },
  reopened: { isByUser: true },
  note_added: {
    isByUser: true,
    detail: () => ({ note: { id: newId("incidentNote"), body: "This is a test." } }),
  },
};

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
  const { isByUser, state = "open", isAboutAlert } = EVENTS[eventType];
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
      correlationDimensionsMatched: DIMENSIONS,
      scope: "external_symptoms_only",
    },
    fingerprintHash: fingerprintHash(DIMENSIONS),
    memberAlertInstanceIds: [instanceId],
    memberCount: 1,
    openMemberCount: occasionOf(eventType).isEnding ? 0 : 1,
    recurrenceOf: [],
    ...EVENTS[eventType].detail?.(alert),
  };
}
