/** Notifications with valid defaults, and the surroundings that sending one needs. */
import type {
  AlertInstanceId,
  AlertRuleId,
  CheckId,
  IncidentId,
  NotificationId,
  TeamId,
} from "@svc/contract";
import { createEgress } from "@svc/egress";
import { announce } from "../src/outbox/announce.ts";
import type { Announcement } from "../src/outbox/announcement.ts";
import type { SendContext, SenderSettings } from "../src/outbox/channels/sender.ts";
import { eventOfOccasion, type IncidentOccasionType } from "../src/outbox/incident-occasions/registry.ts";
import type {
  AlertNotificationPayload,
  IncidentNotificationPayload,
  NotificationAboutAlert,
  NotificationAboutIncident,
} from "../src/outbox/payload.ts";
import { exampleOfIncident } from "../src/response/incidents/example.ts";

const NOTIFICATION_ID = "ntf_01h2xcejqtf2nbrexx3vqjhp41" as NotificationId;
const TEAM_ID = "team_01h2xcejqtf2nbrexx3vqjhp41" as TeamId;

/** Returns the payload of a notification about the check "Home page". */
export function aPayload(overrides: Partial<AlertNotificationPayload> = {}): AlertNotificationPayload {
  return {
    rule: { id: "alert_01h2xcejqtf2nbrexx3vqjhp41" as AlertRuleId, name: "Down" },
    check: { id: "chk_01h2xcejqtf2nbrexx3vqjhp41" as CheckId, name: "Home page", type: "http" },
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

/** Overrides of a notification about an alert; those of its payload are merged. */
export type NotificationOverrides = Partial<Omit<NotificationAboutAlert, "payload">> & {
  payload?: Partial<AlertNotificationPayload>;
};

/** Returns a notification about an alert that has triggered. */
export function aNotification(overrides: NotificationOverrides = {}): NotificationAboutAlert {
  const { payload, ...rest } = overrides;
  return {
    about: "alert",
    id: NOTIFICATION_ID,
    kind: "triggered",
    instanceId: "ainst_01h2xcejqtf2nbrexx3vqjhp41" as AlertInstanceId,
    teamId: TEAM_ID,
    isTest: false,
    links: {
      instance: "https://svc.example/alerts/ainst_01h2xcejqtf2nbrexx3vqjhp41",
      check: "https://svc.example/checks/chk_01h2xcejqtf2nbrexx3vqjhp41",
    },
    payload: aPayload(payload),
    ...rest,
  };
}

/** Returns the announcement of a notification about an alert. */
export function anAnnouncement(overrides: NotificationOverrides = {}): Announcement {
  return announce(aNotification(overrides));
}

/** Returns a notification about an incident with one alert, "Home page" failing. */
export function anIncidentNotification(
  eventType: IncidentOccasionType,
  overrides: Partial<IncidentNotificationPayload> = {},
): NotificationAboutIncident {
  const incidentId = "inc_01h2xcejqtf2nbrexx3vqjhp41" as IncidentId;
  const example = exampleOfIncident({
    eventType: eventOfOccasion(eventType),
    incidentId,
    alert: aPayload(),
    nowMs: Date.parse("2026-06-01T12:05:00.000Z"),
  });
  return {
    about: "incident",
    id: NOTIFICATION_ID,
    incidentId,
    teamId: TEAM_ID,
    isTest: false,
    template: null,
    payload: { ...example, eventType, ...overrides },
    links: {
      incident: `https://svc.example/incidents/${incidentId}`,
      alert: (id) => `https://svc.example/alerts/${id}`,
      check: (id) => `https://svc.example/checks/${id}`,
      acknowledge: null,
    },
  };
}

/** Returns the surroundings of an attempt that may reach loopback addresses. */
export function aSendContext(
  overrides: Partial<Omit<SendContext, "settings">> & { settings?: Partial<SenderSettings> } = {},
): SendContext {
  const { settings, ...rest } = overrides;
  return {
    signal: AbortSignal.timeout(20_000),
    nowMs: Date.now,
    egress: createEgress({ allowPrivate: true }),
    operatorEgress: createEgress({ allowPrivate: true }),
    externalId: undefined,
    warn: () => undefined,
    settings: {
      smtpUrl: undefined,
      smtpFrom: undefined,
      pagingBaseUrl: undefined,
      publicUrl: () => "https://svc.example",
      ...settings,
    },
    ...rest,
  };
}
