/** Writes what happened to incidents, in the transaction that changed them: stored, recorded for telemetry, told to channels. */
import {
  INCIDENT_MEMBERS_LISTED,
  type IncidentEventPayload,
  type IncidentEventType,
  newId,
} from "@svc/contract";
import type { Knex } from "knex";
import { enqueue, type NotificationToSend, readRecipients, recipientsAmong } from "../../outbox/outbox.ts";
import type {
  AlertNotification,
  AlertNotificationPayload,
  IncidentHappening,
  IncidentNotificationPayload,
  ToldAlert,
} from "../../outbox/payload.ts";
import { type DerivedEvent, recordDerivedEvents } from "../../telemetry/derived-event-store.ts";
import { isTold } from "./dispatch.ts";
import { type IncidentEventRow, insertIncidentEvents } from "./event-store.ts";
import { type IncidentRow, snapshotOf } from "./row.ts";

/** An alert that an event is about. */
export interface AboutAlert {
  instanceId: string;
  payload: AlertNotificationPayload;
}

/** Something that happened to an incident. */
export interface Happened {
  type: IncidentHappening;
  /** As it is after it. */
  incident: IncidentRow;
  /** The oldest members, and whom their rules name. */
  instanceIds: readonly string[];
  channelIds: readonly string[];
  /** A user; null: the service itself. */
  actorId: string | null;
  /** What the event adds. */
  detail?: Partial<IncidentEventPayload>;
  about?: readonly (AboutAlert | ToldAlert)[];
}

/** An alert of an incident that changed, told as itself. */
export interface AlertTold extends Pick<AlertNotification, "kind" | "instanceId" | "channelIds" | "payload"> {
  incident: Pick<IncidentRow, "id" | "teamId">;
  /** No other member is open, or unacknowledged. */
  isLast: boolean;
}

/** Alerts that one event tells in their own words. */
const ALERTS_TOLD = 3;

/** Writes them in their order, all with a few statements. */
export async function writeHappened(
  trx: Knex,
  happened: readonly (Happened | AlertTold)[],
  nowMs: number,
): Promise<void> {
  const recipients = await readRecipients(trx, happened);
  const events: IncidentEventRow[] = [];
  const derived: DerivedEvent[] = [];
  const notifications: NotificationToSend[] = [];
  for (const one of happened) {
    const { incident, channelIds } = one;
    const channels = recipientsAmong(recipients, incident.teamId, channelIds);
    if ("kind" in one) {
      const told = channels.filter((channel) =>
        isTold({ of: "alert", kind: one.kind, isLast: one.isLast }, channel),
      );
      notifications.push(
        alertNotification(
          one,
          told.map(({ key }) => key),
        ),
      );
      continue;
    }
    const event = eventOf(one, nowMs);
    if (event) {
      events.push(event);
      derived.push(derivedEventOf(one.incident, event, nowMs));
    }
    const told = channels.filter((channel) => isTold({ of: "incident", type: one.type }, channel));
    const eventId = event?.id ?? newId("incidentEvent");
    const payload = notificationPayload(one, eventId, nowMs);
    // A webhook's endpoint is asked once; what people depend on is tried again.
    for (const isRetried of [true, false])
      notifications.push({
        ...{
          teamId: incident.teamId,
          subjectId: incident.id,
          kind: `incident.${one.type}`,
          payload,
          isRetried,
        },
        channelKeys: told.filter(({ type }) => (type !== "webhook") === isRetried).map(({ key }) => key),
        instanceIds: (one.about ?? []).map(({ instanceId }) => instanceId),
        eventId,
      });
  }
  await insertIncidentEvents(trx, events);
  await recordDerivedEvents(trx, derived);
  await enqueue(trx, notifications);
}

function alertNotification(
  { kind, incident, instanceId, payload }: AlertTold,
  channelKeys: number[],
): NotificationToSend {
  return {
    ...{ teamId: incident.teamId, subjectId: incident.id, kind, payload, channelKeys },
    instanceIds: [instanceId],
  };
}

/** Undefined of what is told to channels only. */
function eventOf(happened: Happened, nowMs: number): IncidentEventRow | undefined {
  const { type, incident, actorId } = happened;
  if (type === "alerts_recovered" || type === "members_recovered") return undefined;
  return {
    ...{ id: newId("incidentEvent"), teamId: incident.teamId, incidentKey: incident.key, type, actorId },
    payload: payloadOf(happened, type),
    createdAt: new Date(nowMs).toISOString(),
  };
}

function payloadOf(
  { incident, instanceIds, detail, about }: Happened,
  eventType: IncidentEventType,
): IncidentEventPayload {
  const { observations, hypothesis, title, severity, fingerprintHash, recurrenceOf, memberCount } = incident;
  return {
    ...{ eventType, observations, hypothesis, title, severity, fingerprintHash },
    memberAlertInstanceIds: instanceIds.slice(0, INCIDENT_MEMBERS_LISTED),
    ...{ memberCount, openMemberCount: incident.openMemberCount, recurrenceOf },
    ...(eventType === "alert_attached" && about
      ? {
          attachedAlertInstanceIds: about
            .slice(0, INCIDENT_MEMBERS_LISTED)
            .map(({ instanceId }) => instanceId),
        }
      : {}),
    ...detail,
  };
}

function notificationPayload(
  happened: Happened,
  eventId: string,
  nowMs: number,
): IncidentNotificationPayload {
  const { type, incident, actorId, about = [] } = happened;
  // What is no event of its own says what the end of the incident would.
  const eventType = type === "alerts_recovered" || type === "members_recovered" ? "auto_resolved" : type;
  return {
    ...{ eventId, eventType: type, occurredAt: new Date(nowMs).toISOString() },
    actor: { type: actorId === null ? "system" : "user", id: actorId },
    payload: payloadOf(happened, eventType),
    incident: snapshotOf(incident),
    alerts: about.slice(0, ALERTS_TOLD).map(toldAlert),
    alertCount: about.length,
  };
}

function toldAlert(about: AboutAlert | ToldAlert): ToldAlert {
  if (!("payload" in about)) return about;
  const { instanceId, payload } = about;
  const { rule, check, severity, summary, startedAt, targetUrl, locations, traceId } = payload;
  return { instanceId, rule, check, severity, summary, startedAt, targetUrl, locations, traceId };
}

/** The log record of an event; its attributes are described in docs/incidents.md. */
function derivedEventOf(incident: IncidentRow, event: IncidentEventRow, nowMs: number): DerivedEvent {
  const { payload, actorId } = event;
  const { hypothesis } = payload;
  return {
    teamId: incident.teamId,
    name: `synthetics.incident.${event.type}`,
    severity: incident.severity,
    attributes: {
      "synthetics.incident.id": incident.id,
      "synthetics.incident.event_id": event.id,
      "synthetics.incident.title": incident.title,
      "synthetics.incident.severity": incident.severity,
      "synthetics.incident.state": incident.state,
      "synthetics.incident.opened_at": incident.openedAt,
      "synthetics.incident.fingerprint_hash": incident.fingerprintHash,
      "synthetics.incident.member_count": incident.memberCount,
      "synthetics.incident.open_member_count": incident.openMemberCount,
      "synthetics.incident.recurrence_of": incident.recurrenceOf,
      "synthetics.incident.hypothesis.summary": hypothesis.summary,
      "synthetics.incident.hypothesis.confidence": hypothesis.confidence,
      "synthetics.incident.hypothesis.dimensions": hypothesis.correlationDimensionsMatched,
      "synthetics.incident.actor.type": actorId === null ? "system" : "user",
      "synthetics.incident.actor.id": actorId,
      "synthetics.incident.previous_severity": payload.previousSeverity,
      "synthetics.incident.previous_state": payload.previousState,
      "synthetics.incident.note.id": payload.note?.id,
      "synthetics.incident.note.body": payload.note?.body,
    },
    occurredAtMs: nowMs,
  };
}
