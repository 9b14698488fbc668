/** What notifications say: stored with them in the outbox, read by every channel type. */
import type {
  CheckType,
  IncidentActor,
  IncidentEventPayload,
  IncidentEventType,
  IncidentSnapshot,
  IncidentTemplate,
  Severity,
  TeamId,
} from "@svc/contract";

/** What happened to the alert instance. */
export const ALERT_NOTIFICATION_KINDS = [
  "triggered",
  "acknowledged",
  "escalated",
  "recovered",
  "resolved",
] as const;
export type AlertNotificationKind = (typeof ALERT_NOTIFICATION_KINDS)[number];

/**
 * Everything that a channel may tell about an alert instance at the moment of the event. Plain JSON. Links to the dashboard
 * are not part of it: they are made from the instance's and the check's id when it is sent.
 */
export interface AlertNotificationPayload {
  rule: { id: string; name: string | null };
  check: { id: string; name: string; type: CheckType };
  severity: Severity;
  /** One line for people: "Home page is failing from us-east: status 503, expected 200". No line breaks. */
  summary: string;
  /** ISO 8601: when the instance began. */
  startedAt: string;
  /** ISO 8601: when what this tells of happened. */
  occurredAt: string;
  /** How long the instance lasted, ms; null while it lasts. */
  durationMs: number | null;
  /** What made it fire, as the instance's contextJson: thresholds, observed values, result ids. */
  context: Record<string, unknown>;
  /** What the check watches; null when the configuration names no URL. Without credentials. */
  targetUrl: string | null;
  /** Names of the locations concerned, as people read them. */
  locations: string[];
  /** Trace id of the triggering result, 32 hexadecimal digits. */
  traceId: string | null;
  /** Id of the user who acknowledged or resolved it. */
  actorId?: string | null;
}

/** A notification about an alert as a channel renders it. */
export interface Notification {
  /** The same at each attempt, so that the other side can tell a repetition: `ntf_...` */
  id: string;
  kind: AlertNotificationKind;
  /** The alert instance. */
  instanceId: string;
  /** The incident that it is a member of: what pages, tickets and threads stand for, then. */
  incidentId?: string;
  teamId: TeamId;
  payload: AlertNotificationPayload;
  /** Sent by hand to try the channel out. */
  isTest: boolean;
  /** Where people see more. */
  links: { instance: string; check: string };
}

/**
 * What a channel is told of an incident. Two are no events of its own: alerts_recovered, many alerts that ended at once;
 * members_recovered, the last open one ended.
 */
export type IncidentHappening = IncidentEventType | "alerts_recovered" | "members_recovered";
/** In the outbox, beside the kinds of alerts. */
export type IncidentNotificationKind = `incident.${IncidentHappening}`;

/** An alert that an event is about, as its own notification would tell it. */
export interface ToldAlert
  extends Pick<
    AlertNotificationPayload,
    "rule" | "check" | "severity" | "summary" | "startedAt" | "targetUrl" | "locations" | "traceId"
  > {
  instanceId: string;
}

/** Everything that a channel may tell about an incident at the moment of the event. Plain JSON. */
export interface IncidentNotificationPayload {
  eventId: string;
  eventType: IncidentHappening;
  actor: IncidentActor;
  /** ISO 8601. */
  occurredAt: string;
  payload: IncidentEventPayload;
  /** As it is after the event. */
  incident: Omit<IncidentSnapshot, "triageUrl">;
  /** Of the alerts that the event is about, the first ones; of none, if it is about none. */
  alerts: ToldAlert[];
  alertCount: number;
}

/** A notification about an incident as a channel renders it. */
export interface IncidentNotification {
  id: string;
  incidentId: string;
  teamId: TeamId;
  payload: IncidentNotificationPayload;
  isTest: boolean;
  links: { incident: string; alert(instanceId: string): string; check(checkId: string): string };
  /** The channel's own bodies; webhooks. */
  template: IncidentTemplate | null;
}

/** Something that happened to an alert instance, to be told to channels. */
export interface AlertNotification {
  teamId: TeamId;
  /** `nch_...`; those that are not the team's (deleted meanwhile) are passed over. */
  channelIds: readonly string[];
  kind: AlertNotificationKind;
  instanceId: string;
  payload: AlertNotificationPayload;
}
