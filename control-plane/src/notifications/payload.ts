/** What a notification about an alert says: stored with it in the outbox, read by every channel type. */
import type { CheckType, Severity } from "@svc/contract";

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

/** A notification as a channel renders it. */
export interface Notification {
  /** The same at each attempt, so that the other side can tell a repetition: `ntf_...` */
  id: string;
  kind: AlertNotificationKind;
  /** The alert instance. */
  instanceId: string;
  teamId: string;
  payload: AlertNotificationPayload;
  /** Sent by hand to try the channel out. */
  isTest: boolean;
  /** Where people see more. */
  links: { instance: string; check: string };
}
