/** The words of notifications about incidents. Pure. */
import { withoutLineBreaks } from "@svc/contract";
import { readableInstant } from "../platform/readable-time.ts";
import { type Announcement, type Detail, knownDetails } from "./announcement.ts";
import { occasionOf } from "./incident-occasions/registry.ts";
import { type NotificationAboutIncident, subjectNameOf } from "./payload.ts";

/** Most circumstances of the hypothesis that the details list. */
const CIRCUMSTANCES_MAX = 3;

/** Returns what a notification about an incident says. */
export function announceIncident(notification: NotificationAboutIncident): Announcement {
  const { payload, links, incidentId } = notification;
  const { incident, eventType, alerts, occurredAt } = payload;
  const { hypothesis } = payload.payload;
  const { symbol, effect, isEnding = false, reopens, summary, beginsThread } = occasionOf(eventType);
  const [alert] = alerts;
  return {
    notification,
    title: titleOf(notification),
    summary: summary ? summary(payload) : hypothesis.summary,
    severity: incident.severity,
    isEnding,
    symbol,
    subject: { name: incident.title, url: links.incident },
    details: detailsOf(notification),
    links: [
      { text: "Open the incident", url: links.incident },
      ...(links.acknowledge !== null && incident.state === "open" && !isEnding
        ? [{ text: "Acknowledge", url: links.acknowledge }]
        : []),
      ...(alert
        ? [
            { text: "Open the alert", url: links.alert(alert.instanceId) },
            ...(alert.check ? [{ text: "Open the check", url: links.check(alert.check.id) }] : []),
          ]
        : []),
    ],
    occurredAt,
    threadId: incidentId,
    isFirstOfThread: beginsThread ?? false,
    effect,
    changesSeverity: effect === "raise",
    reopens: reopens?.(payload) ?? false,
    origin: {
      source: alert?.targetUrl ?? incident.title,
      component: alert ? subjectNameOf(alert) : incident.title,
      group: incidentId,
      class: "incident",
    },
    evidence: { hypothesis },
  };
}

function titleOf({ payload, isTest }: NotificationAboutIncident): string {
  const { eventType, incident } = payload;
  const { words, isEnding } = occasionOf(eventType);
  const severity = isEnding ? "" : `[${incident.severity.toUpperCase()}] `;
  return withoutLineBreaks(`${isTest ? "[TEST] " : ""}${severity}${incident.title}: ${words}`);
}

function detailsOf({ payload }: NotificationAboutIncident): Detail[] {
  const { payload: event, incident, alerts } = payload;
  const [alert] = alerts;
  return knownDetails([
    ["Severity", incident.severity],
    ["State", incident.state],
    ["Opened", readableInstant(incident.openedAt)],
    ["Alerts", `${event.memberCount}, ${event.openMemberCount} open`],
    ["Check", alert?.check?.name ?? null],
    ["Rule", alert?.rule.name ?? null],
    ["Target", alert?.targetUrl ?? null],
    ["Locations", alert?.locations.join(", ") ?? null],
    ["Trace", alert?.traceId ?? null],
    ["Speaks for it", event.hypothesis.ruledIn.slice(0, CIRCUMSTANCES_MAX).join("; ")],
    ["Recurrence of", event.recurrenceOf[0] ?? null],
  ]);
}
