/**
 * Writes reports about incidents, in the transaction that changed them: events are stored and put among the telemetry
 * events, and the channels that routing chooses get their notifications.
 */
import { type ChannelId, type IncidentEventId, newId } from "@svc/contract";
import type { Knex } from "knex";
import { isIncidentEvent } from "../../outbox/incident-occasions/registry.ts";
import { enqueue, type NotificationToSend } from "../../outbox/outbox.ts";
import { type RecipientChannel, recipientsAmong } from "../../outbox/recipient.ts";
import { readRecipients, readSubscribers } from "../../outbox/recipient-store.ts";
import { type DerivedEvent, recordDerivedEvents } from "../../telemetry/derived-events/store.ts";
import { readEscalatedChannels } from "./escalated-channels-store.ts";
import { type IncidentEventRow, insertIncidentEvents } from "./event-store.ts";
import type { AlertReport, IncidentReport, Report } from "./report.ts";
import { eventPayload, notificationPayload } from "./report-payload.ts";
import { isNotified } from "./routing.ts";
import { telemetryEventOf } from "./telemetry-event.ts";

/** Writes the reports in their order, all of them with a few statements. */
export async function writeReports(trx: Knex, given: readonly Report[], nowMs: number): Promise<void> {
  const reports = await withEscalatedChannels(trx, given);
  const named = await readRecipients(trx, reports);
  const subscribers = await readSubscribers(
    trx,
    reports.map(({ incident }) => incident.teamId),
  );
  const events: IncidentEventRow[] = [];
  const derivedEvents: DerivedEvent[] = [];
  const notifications: NotificationToSend[] = [];
  for (const report of reports) {
    const ofTeam = recipientsOf(report, { named, subscribers });
    if ("kind" in report) {
      notifications.push(alertNotification(report, ofTeam));
      continue;
    }
    const event = eventOf(report, nowMs);
    if (event) {
      events.push(event);
      derivedEvents.push(telemetryEventOf(report.incident, event, nowMs));
    }
    const eventId = event?.id ?? newId("incidentEvent");
    notifications.push(...incidentNotifications(report, { eventId, recipients: ofTeam, nowMs }));
  }
  await insertIncidentEvents(trx, events);
  await recordDerivedEvents(trx, derivedEvents);
  await enqueue(trx, notifications);
}

/**
 * Returns the reports with the channels that were notified of the incident otherwise than by its members: by steps of the incident policy,
 * or by alerts that are held back because of its location. Whom a step woke hears of the end, too; a step itself is for its own channels.
 */
async function withEscalatedChannels(trx: Knex, reports: readonly Report[]): Promise<Report[]> {
  const escalated = await readEscalatedChannels(
    trx,
    reports.map(({ incident }) => incident.id),
  );
  return reports.map((report) => {
    const more = escalated.get(report.incident.id);
    if (!more || isForNamedAlone(report)) return report;
    return { ...report, channelIds: [...new Set([...report.channelIds, ...more])] };
  });
}

function isForNamedAlone(report: Report): boolean {
  return "type" in report && (report.type === "unacknowledged" || report.isForNamedAlone === true);
}

/** Returns the channels that the members' rules name, and the team's subscribers, each once. */
function recipientsOf(
  report: Report,
  {
    named,
    subscribers,
  }: { named: ReadonlyMap<ChannelId, RecipientChannel>; subscribers: RecipientChannel[] },
): RecipientChannel[] {
  const { incident, channelIds } = report;
  const { teamId } = incident;
  const ofRules = recipientsAmong(named, teamId, channelIds);
  if ("type" in report && report.isForNamedAlone === true) return ofRules;
  const known = new Set(ofRules.map(({ key }) => key));
  return [
    ...ofRules,
    ...subscribers.filter((channel) => channel.teamId === teamId && !known.has(channel.key)),
  ];
}

/** Returns the event to store; undefined for an occasion that is no event, and for an event that is stored already. */
function eventOf(report: IncidentReport, nowMs: number): IncidentEventRow | undefined {
  const { type, incident, actorId, isRecorded = false } = report;
  if (isRecorded || !isIncidentEvent(type)) return undefined;
  return {
    id: newId("incidentEvent"),
    teamId: incident.teamId,
    incidentKey: incident.key,
    type,
    actorId,
    payload: eventPayload(report, type),
    createdAt: new Date(nowMs).toISOString(),
  };
}

function alertNotification(
  { kind, incident, instanceId, payload, isLast }: AlertReport,
  recipients: readonly RecipientChannel[],
): NotificationToSend {
  return {
    teamId: incident.teamId,
    subjectId: incident.id,
    kind,
    payload,
    instanceIds: [instanceId],
    channelKeys: recipients
      .filter((recipient) => isNotified({ about: "alert", kind, isLast }, recipient))
      .map(({ key }) => key),
  };
}

interface IncidentNotificationsInput {
  eventId: IncidentEventId;
  recipients: readonly RecipientChannel[];
  nowMs: number;
}

/**
 * Returns two notifications of the event: one for channels to machines, whose endpoints get a single attempt, and one
 * for all other channels, which is retried.
 */
function incidentNotifications(
  report: IncidentReport,
  { eventId, recipients, nowMs }: IncidentNotificationsInput,
): NotificationToSend[] {
  const { type, incident, alerts = [], areAlertsHeld = false } = report;
  const notified = recipients.filter((recipient) => isNotified({ about: "incident", type }, recipient));
  const payload = notificationPayload(report, eventId, nowMs);
  return [true, false].map((isRetried) => ({
    teamId: incident.teamId,
    subjectId: incident.id,
    kind: `incident.${type}`,
    payload,
    isRetried,
    eventId,
    channelKeys: notified
      .filter(({ audience }) => (audience !== "machine") === isRetried)
      .map(({ key }) => key),
    instanceIds: areAlertsHeld ? [] : alerts.map(({ instanceId }) => instanceId),
  }));
}
