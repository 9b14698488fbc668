/** A notification that this process has claimed from the outbox, with the channel that it is for. */
import type {
  AlertInstanceId,
  ChannelConfig,
  ChannelId,
  ChannelType,
  IncidentId,
  IncidentTemplate,
  LocationId,
  NotificationId,
  TeamId,
} from "@svc/contract";
import { channelConfigSchema, pagePath } from "@svc/contract";
import type { Sending } from "../../outbox/channels/registry.ts";
import {
  type AlertNotificationKind,
  type AlertNotificationPayload,
  type IncidentNotificationKind,
  type IncidentNotificationPayload,
  LOCATION_NOTIFICATION_KIND,
  type LocationNotificationKind,
  type LocationNotificationPayload,
  type Notification,
  REPORT_NOTIFICATION_KIND,
  type ReportNotificationKind,
  type ReportNotificationPayload,
  type ReportSubject,
} from "../../outbox/payload.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import {
  type AcknowledgeGrant,
  acknowledgeLinkOf,
  hasAcknowledgeLinks,
} from "../incidents/acknowledge-link.ts";
import { triageUrlOf } from "../incidents/row.ts";

/** Kind and payload, which belong together. */
type Content =
  | { kind: AlertNotificationKind; payload: AlertNotificationPayload }
  | { kind: IncidentNotificationKind; payload: IncidentNotificationPayload }
  | { kind: LocationNotificationKind; payload: LocationNotificationPayload }
  | { kind: ReportNotificationKind; payload: ReportNotificationPayload };

interface ClaimedRow {
  key: number;
  id: NotificationId;
  teamId: TeamId;
  /** Incident, alert, location or report that the notification is about. */
  subjectId: IncidentId | AlertInstanceId | LocationId | ReportSubject;
  /** Alert instances that the notification reports; null when the subject is the one. */
  instanceIds: AlertInstanceId[] | null;
  /** True for an incident event that a machine's channel was sent a short while ago. */
  isDuplicate: boolean;
  isRetried: boolean;
  isTest: boolean;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** Time since the notification was written, ms. */
  ageMs: number;
  channelKey: number;
  channelId: ChannelId;
  channelName: string;
  channelType: ChannelType;
  /** The channel object as submitted, sealed. */
  channelConfig: Buffer;
  incidentTemplate: IncidentTemplate | null;
  /** The other side's name for the subject, from an earlier notification. */
  externalId: string | null;
  /** Addresses that earlier attempts did not reach, while they reached others; null: nobody was reached. */
  unreached: string[] | null;
  /** True when quiet hours held the notification, and its subject is over by now. */
  isOver: boolean;
  /** True when quiet hours held the notification, and the channel was notified of its subject before. */
  wasNotified: boolean;
}

/** A claimed row: the stored content of the notification, with its channel and its attempts so far. */
export type ClaimedNotification = Content & ClaimedRow;

/**
 * Returns the configuration of the notification's channel, secrets in clear.
 * @throws Error when the channel was sealed under a key that is not known any more
 */
function channelConfigOf(
  { channelConfig, channelId }: Pick<ClaimedNotification, "channelConfig" | "channelId">,
  secrets: SecretBox,
): ChannelConfig {
  return channelConfigSchema.parse(JSON.parse(secrets.open(channelConfig, channelId)));
}

/**
 * Returns the notification and its channel's configuration, as senders need them.
 * @throws Error when the channel was sealed under a key that is not known any more
 */
export function sendingOf(
  claimed: ClaimedNotification,
  { secrets, publicUrl }: { secrets: SecretBox; publicUrl: string },
): Sending {
  const config = channelConfigOf(claimed, secrets);
  const linkOf = (grant: AcknowledgeGrant) =>
    hasAcknowledgeLinks(config) ? acknowledgeLinkOf(secrets, publicUrl, grant) : null;
  return { config, notification: notificationOf(claimed, { publicUrl, linkOf }) };
}

function notificationOf(
  claimed: ClaimedNotification,
  { publicUrl, linkOf }: { publicUrl: string; linkOf: (grant: AcknowledgeGrant) => string | null },
): Notification {
  const { channelId, id, subjectId, teamId, isTest, instanceIds } = claimed;
  const alert = (id: string) => publicUrl + pagePath("alert", { id });
  const check = (id: string) => publicUrl + pagePath("check", { id });
  if (isAboutIncident(claimed)) {
    const incidentId = subjectId as IncidentId;
    return {
      about: "incident",
      id,
      teamId,
      isTest,
      incidentId,
      payload: claimed.payload,
      template: claimed.incidentTemplate,
      links: {
        incident: triageUrlOf(publicUrl, incidentId),
        alert,
        check,
        acknowledge: linkOf({ incidentId, channelId, issuedAtMs: Date.parse(claimed.payload.occurredAt) }),
      },
    };
  }
  if (isAboutLocation(claimed)) {
    const { payload } = claimed;
    return {
      about: "location",
      id,
      teamId,
      isTest,
      payload,
      links: { location: `${publicUrl}/locations/${payload.location.id}` },
    };
  }
  if (isAboutReport(claimed)) {
    const { payload } = claimed;
    return {
      about: "report",
      id,
      teamId,
      isTest,
      payload,
      links: { report: publicUrl + pagePath("report", { month: payload.month }) },
    };
  }
  const { kind, payload } = claimed as Extract<ClaimedNotification, { kind: AlertNotificationKind }>;
  const instanceId = instanceIds?.[0] ?? (subjectId as AlertInstanceId);
  return {
    about: "alert",
    id,
    kind,
    teamId,
    payload,
    isTest,
    instanceId,
    ...(instanceId !== subjectId && { incidentId: subjectId as IncidentId }),
    links: { instance: alert(instanceId), check: payload.check && check(payload.check.id) },
  };
}

function isAboutIncident(
  claimed: ClaimedNotification,
): claimed is Extract<ClaimedNotification, { kind: IncidentNotificationKind }> {
  return claimed.kind.startsWith("incident.");
}

/** True for a notification about a location. */
export function isAboutLocation(
  claimed: ClaimedNotification,
): claimed is Extract<ClaimedNotification, { kind: LocationNotificationKind }> {
  return claimed.kind === LOCATION_NOTIFICATION_KIND;
}

/** True for a notification about a report. */
export function isAboutReport(
  claimed: ClaimedNotification,
): claimed is Extract<ClaimedNotification, { kind: ReportNotificationKind }> {
  return claimed.kind === REPORT_NOTIFICATION_KIND;
}
