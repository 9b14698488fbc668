/** Notifications with valid defaults, and what sending one needs. */
import type { TeamId } from "@svc/contract";
import { createEgress } from "@svc/egress";
import type { SendContext, SenderSettings } from "../src/outbox/channels/sender.ts";
import type {
  AlertNotificationPayload,
  IncidentHappening,
  IncidentNotification,
  IncidentNotificationPayload,
  Notification,
} from "../src/outbox/payload.ts";
import { exampleOfIncident } from "../src/response/incidents/example.ts";

export function aPayload(overrides: Partial<AlertNotificationPayload> = {}): AlertNotificationPayload {
  return {
    rule: { id: "alert_01h2xcejqtf2nbrexx3vqjhp41", name: "Down" },
    check: { id: "chk_01h2xcejqtf2nbrexx3vqjhp41", name: "Home page", type: "http" },
    severity: "critical",
    summary: "Home page is failing from US East: status 503, expected 200",
    startedAt: "2026-06-01T12:00:00.000Z",
    occurredAt: "2026-06-01T12:00:01.000Z",
    durationMs: null,
    context: { conditions: [{ type: "consecutive_failures", threshold: 2, observed: 2 }] },
    targetUrl: "https://example.com/",
    locations: ["US East (Virginia)"],
    traceId: "0af7651916cd43dd8448eb211c80319c",
    ...overrides,
  };
}

export function aNotification(
  overrides: Partial<Omit<Notification, "payload">> & { payload?: Partial<AlertNotificationPayload> } = {},
): Notification {
  const { payload, ...rest } = overrides;
  return {
    id: "ntf_01h2xcejqtf2nbrexx3vqjhp41",
    kind: "triggered",
    instanceId: "ainst_01h2xcejqtf2nbrexx3vqjhp41",
    teamId: "team_01h2xcejqtf2nbrexx3vqjhp41" as TeamId,
    isTest: false,
    links: {
      instance: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
      check: "https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41",
    },
    payload: aPayload(payload),
    ...rest,
  };
}

/** Of an incident with one alert, "Home page" failing. */
export function anIncidentNotification(
  eventType: IncidentHappening,
  overrides: Partial<IncidentNotificationPayload> = {},
): IncidentNotification {
  const incidentId = "inc_01h2xcejqtf2nbrexx3vqjhp41";
  const isEvent = eventType !== "alerts_recovered" && eventType !== "members_recovered";
  const like = isEvent ? eventType : "auto_resolved";
  const example = exampleOfIncident(like, incidentId, aPayload(), Date.parse("2026-06-01T12:05:00.000Z"));
  return {
    ...{
      id: "ntf_01h2xcejqtf2nbrexx3vqjhp41",
      incidentId,
      teamId: "team_01h2xcejqtf2nbrexx3vqjhp41" as TeamId,
    },
    ...{ isTest: false, template: null },
    payload: { ...example, eventType, ...overrides },
    links: {
      incident: `https://svc.example/incidents/${incidentId}`,
      alert: (id) => `https://svc.example/alerts/${id}`,
      check: (id) => `https://svc.example/checks/${id}`,
    },
  };
}

/** Everything allowed that loopback tests need. */
export function aSendContext(
  overrides: Partial<Omit<SendContext, "settings">> & { settings?: Partial<SenderSettings> } = {},
): SendContext {
  const { settings, ...rest } = overrides;
  return {
    signal: AbortSignal.timeout(20_000),
    egress: createEgress({ allowPrivate: true }),
    operatorEgress: createEgress({ allowPrivate: true }),
    externalId: undefined,
    warn: () => undefined,
    settings: {
      smtpUrl: undefined,
      smtpFrom: undefined,
      pagingBaseUrl: undefined,
      publicUrl: "https://svc.example",
      ...settings,
    },
    ...rest,
  };
}
