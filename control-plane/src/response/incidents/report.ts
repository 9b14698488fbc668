/** Reports: what happened to an incident and its alerts, on the way to storage, telemetry and channels. */
import type { AlertInstanceId, ChannelId, IncidentEventPayload } from "@svc/contract";
import type { IncidentOccasionType } from "../../outbox/incident-occasions/registry.ts";
import type { AlertExcerpt, AlertNotification, AlertNotificationPayload } from "../../outbox/payload.ts";
import type { IncidentRow } from "./row.ts";

/** An alert with the payload of its own notification. */
export interface ReportedAlert {
  instanceId: AlertInstanceId;
  payload: AlertNotificationPayload;
}

/** Something that happened to an incident. */
export interface IncidentReport {
  type: IncidentOccasionType;
  /** The incident's state after the event. */
  incident: IncidentRow;
  /** Instances of the oldest members. */
  instanceIds: readonly AlertInstanceId[];
  /** Channels that the rules of the members name. */
  channelIds: readonly ChannelId[];
  /** True: nobody is notified but these channels, neither the team's subscribers nor those that a step of the policy notified. */
  isForNamedAlone?: boolean;
  /** True: the event is in the incident's history already, so that it is notified only. */
  isRecorded?: boolean;
  /** True: the alerts are held back, so that nobody was notified of them by themselves. */
  areAlertsHeld?: boolean;
  /** Id of the person or channel that acted; null for the service itself. */
  actorId: string | null;
  /** Fields that the event adds to its payload. */
  detail?: Partial<IncidentEventPayload>;
  /** Alerts that the report is about. */
  alerts?: readonly (ReportedAlert | AlertExcerpt)[];
}

/** A transition of a member's alert that is notified as such. */
export interface AlertReport
  extends Pick<AlertNotification, "kind" | "instanceId" | "channelIds" | "payload"> {
  incident: Pick<IncidentRow, "id" | "teamId">;
  /** True when no other member is left open (ends) or unacknowledged (any other transition). */
  isLast: boolean;
}

/** A report about an incident itself, or about one of its alerts. */
export type Report = IncidentReport | AlertReport;
