/** Contents of notifications: stored with them in the outbox as JSON, and rendered by every type of channel. */
import type {
  AlertInstanceId,
  AlertRuleId,
  ChannelId,
  CheckId,
  CheckType,
  IncidentActor,
  IncidentEventId,
  IncidentEventPayload,
  IncidentId,
  IncidentSnapshot,
  IncidentTemplate,
  Location,
  LocationId,
  NotificationId,
  Report,
  Severity,
  TeamId,
} from "@svc/contract";
import type { IncidentOccasionType } from "./incident-occasions/registry.ts";

/** Transitions of an alert instance that channels are notified of. */
export const ALERT_NOTIFICATION_KINDS = [
  "triggered",
  "acknowledged",
  "escalated",
  "recovered",
  "resolved",
] as const;
/** Kind of a notification about an alert. */
export type AlertNotificationKind = (typeof ALERT_NOTIFICATION_KINDS)[number];

/**
 * The fields of an alert instance that channels can show, as of the transition. Plain JSON. Links are not part of it:
 * they are made from the ids when the notification is sent.
 */
export interface AlertNotificationPayload {
  rule: { id: AlertRuleId; name: string | null };
  /** null: the alert is about no check, but an SLO of a third party; its rule names it. */
  check: { id: CheckId; name: string; type: CheckType } | null;
  severity: Severity;
  /** One line for people, without line breaks: "Home page is failing from us-east: status 503, expected 200". */
  summary: string;
  /** Begin of the instance, ISO 8601. */
  startedAt: string;
  /** Instant of the transition, ISO 8601. */
  occurredAt: string;
  /** Duration of the instance, ms; null while it lasts. */
  durationMs: number | null;
  /** The instance's contextJson: thresholds, observed values, result ids. */
  context: Record<string, unknown>;
  /** URL that the check watches, without credentials; null when the configuration names none. */
  targetUrl: string | null;
  /** Names of the locations concerned. */
  locations: string[];
  /** Trace id of the triggering result, 32 hexadecimal digits. */
  traceId: string | null;
  /** Id of the user who acknowledged or resolved the instance. */
  actorId?: string | null;
}

/** A transition of an alert instance, and the channels to notify of it. */
export interface AlertNotification {
  teamId: TeamId;
  /** Channels to notify. Ids of deleted channels, or of other teams' channels, are left out. */
  channelIds: readonly ChannelId[];
  kind: AlertNotificationKind;
  instanceId: AlertInstanceId;
  payload: AlertNotificationPayload;
}

/** Kind of a notification about an incident, beside the kinds about alerts. */
export type IncidentNotificationKind = `incident.${IncidentOccasionType}`;

/** An alert as a notification about its incident shows it. */
export interface AlertExcerpt
  extends Pick<
    AlertNotificationPayload,
    "rule" | "check" | "severity" | "summary" | "startedAt" | "targetUrl" | "locations" | "traceId"
  > {
  instanceId: AlertInstanceId;
}

/** The fields of an incident that channels can show, as of the occasion. Plain JSON. */
export interface IncidentNotificationPayload {
  eventId: IncidentEventId;
  eventType: IncidentOccasionType;
  actor: IncidentActor;
  /** ISO 8601. */
  occurredAt: string;
  payload: IncidentEventPayload;
  /** The incident's state after the occasion. */
  incident: Omit<IncidentSnapshot, "triageUrl">;
  /** The first alerts that the occasion is about; empty when it is about none. */
  alerts: AlertExcerpt[];
  /** Number of alerts that the occasion is about. */
  alertCount: number;
}

/** A notification about an alert, ready to be rendered. */
export interface NotificationAboutAlert {
  about: "alert";
  /** Equal in each attempt, so that the receiver can recognise a repetition. */
  id: NotificationId;
  kind: AlertNotificationKind;
  instanceId: AlertInstanceId;
  /** The incident that the alert is a member of: pages, tickets and threads then stand for the incident. */
  incidentId?: IncidentId;
  teamId: TeamId;
  payload: AlertNotificationPayload;
  /** True for a notification that was sent by hand to try the channel out. */
  isTest: boolean;
  links: { instance: string; check: string | null };
}

/** A notification about an incident, ready to be rendered. */
export interface NotificationAboutIncident {
  about: "incident";
  /** Equal in each attempt, so that the receiver can recognise a repetition. */
  id: NotificationId;
  incidentId: IncidentId;
  teamId: TeamId;
  payload: IncidentNotificationPayload;
  /** True for a notification that was sent by hand to try the channel out. */
  isTest: boolean;
  links: {
    incident: string;
    alert(instanceId: AlertInstanceId): string;
    check(checkId: CheckId): string;
    /** Page on which a reader of the channel may acknowledge the incident; null where the channel has no such links. */
    acknowledge: string | null;
  };
  /** The channel's own bodies of incident events; null when it has none. */
  template: IncidentTemplate | null;
}

/** The one kind of notification about a location, beside the kinds about alerts and incidents. */
export const LOCATION_NOTIFICATION_KIND = "location.health_changed";
/** Kind of a notification about a location. */
export type LocationNotificationKind = typeof LOCATION_NOTIFICATION_KIND;

/** The one kind of notification about a report. */
export const REPORT_NOTIFICATION_KIND = "report.monthly";
/** Kind of a notification about a report. */
export type ReportNotificationKind = typeof REPORT_NOTIFICATION_KIND;
/** Subject of a notification about a report: the month's, such as `report-2026-10`. */
export type ReportSubject = `report-${string}`;

/** Kind of any notification. */
export type NotificationKind =
  | AlertNotificationKind
  | IncidentNotificationKind
  | LocationNotificationKind
  | ReportNotificationKind;

/** Content of any notification; its kind says which. */
export type NotificationPayload =
  | AlertNotificationPayload
  | IncidentNotificationPayload
  | LocationNotificationPayload
  | ReportNotificationPayload;

/** The figures of a monthly report that channels show. Plain JSON. */
export interface ReportNotificationPayload
  extends Pick<Report, "month" | "totals" | "daysNotCounted" | "daysNotMeasured"> {
  /** `missingByReason` is absent in one that was written by a release that kept no reasons. */
  slots: Omit<Report["slots"], "missingByReason"> & Partial<Pick<Report["slots"], "missingByReason">>;
  incidentsOpened: number;
  /** The first labels, checks and SLOs, the worst first. */
  labels: Pick<Report["byLabel"][number], "label" | "availabilityBasisPoints">[];
  checks: Pick<Report["checks"][number], "name" | "availabilityBasisPoints">[];
  slos: Pick<Report["slos"][number], "name" | "isMet" | "spentBasisPoints">[];
  /** SLOs whose target was missed, among all that the report shows. */
  slosMissed: number;
  slosShown: number;
  /** Instant at which the notification was written, ISO 8601. */
  occurredAt: string;
}

/** A notification about a monthly report, ready to be rendered. */
export interface NotificationAboutReport {
  about: "report";
  /** Equal in each attempt, so that the receiver can recognise a repetition. */
  id: NotificationId;
  teamId: TeamId;
  payload: ReportNotificationPayload;
  /** True for a notification that was sent by hand to try the channel out. */
  isTest: boolean;
  links: { report: string };
}

/** A change of a private location's health, as channels show it. Plain JSON. */
export interface LocationNotificationPayload {
  location: { id: LocationId; name: string; displayName: string };
  health: Location["health"];
  previousHealth: Location["health"];
  /** Newest heartbeat of the location's runners, ISO 8601; null when there was none. */
  lastHeartbeat: string | null;
  /** Number of enabled checks that run at the location. */
  checkCount: number;
  /** Instant at which the change was noticed, ISO 8601. */
  occurredAt: string;
}

/** A notification about a location, ready to be rendered. */
export interface NotificationAboutLocation {
  about: "location";
  /** Equal in each attempt, so that the receiver can recognise a repetition. */
  id: NotificationId;
  teamId: TeamId;
  payload: LocationNotificationPayload;
  /** True for a notification that was sent by hand to try the channel out. */
  isTest: boolean;
  links: { location: string };
}

/** A notification, ready to be rendered. */
export type Notification =
  | NotificationAboutAlert
  | NotificationAboutIncident
  | NotificationAboutLocation
  | NotificationAboutReport;

/** Returns the name of the subject of an alert: its check or, where there is none, its rule. */
export function subjectNameOf({ check, rule }: Pick<AlertNotificationPayload, "check" | "rule">): string {
  return check?.name ?? rule.name ?? "SLO";
}
