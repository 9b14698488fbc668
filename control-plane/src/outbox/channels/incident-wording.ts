/** What notifications say of incidents, in words: the same in each channel that people read. Pure. */
import { oneLine } from "@svc/contract";
import type { IncidentHappening, IncidentNotification, ToldAlert } from "../payload.ts";
import type { Announcement, ChatSymbol } from "./announcement.ts";
import { readableInstant } from "./wording.ts";

const WORDS: Record<IncidentHappening, { verb: string; symbol: ChatSymbol; isEnding?: true }> = {
  opened: { verb: "incident opened", symbol: "rotating_light" },
  alert_attached: { verb: "alert joined the incident", symbol: "heavy_plus_sign" },
  severity_changed: { verb: "incident severity changed", symbol: "arrow_double_up" },
  acknowledged: { verb: "incident acknowledged", symbol: "eyes" },
  auto_resolved: { verb: "incident resolved", symbol: "white_check_mark", isEnding: true },
  closed: { verb: "incident closed", symbol: "lock", isEnding: true },
  reopened: { verb: "incident reopened", symbol: "repeat" },
  note_added: { verb: "note added", symbol: "memo" },
  alerts_recovered: { verb: "alerts recovered", symbol: "white_check_mark", isEnding: true },
  members_recovered: { verb: "all alerts recovered", symbol: "white_check_mark", isEnding: true },
};

/** It needs nobody any more, or reports that part of it does not. */
export function endsIncident(happening: IncidentHappening): boolean {
  return WORDS[happening].isEnding === true;
}

/** One line: what happened to which incident, how bad. */
export function incidentTitleOf({ payload, isTest }: IncidentNotification): string {
  const { eventType, incident } = payload;
  const severity = endsIncident(eventType) ? "" : `[${incident.severity.toUpperCase()}] `;
  return oneLine(`${isTest ? "[TEST] " : ""}${severity}${incident.title}: ${WORDS[eventType].verb}`);
}

/** What the event adds, in a sentence or two: the alert's own words, the note, the change; else the hypothesis. */
export function incidentSummaryOf({ payload }: IncidentNotification): string {
  const { eventType, payload: event, alerts, incident } = payload;
  switch (eventType) {
    case "note_added":
      return event.note?.body ?? "";
    case "severity_changed":
      return `From ${event.previousSeverity ?? "another severity"} to ${incident.severity}. ${event.hypothesis.summary}`;
    case "alert_attached":
    case "alerts_recovered":
      return alertsText(alerts, payload.alertCount);
    case "opened":
      return [alertsText(alerts, payload.alertCount), event.hypothesis.summary].filter(Boolean).join(" - ");
    case "closed":
      return event.reason ?? event.hypothesis.summary;
    default:
      return event.hypothesis.summary;
  }
}

/** What is known, as label and value. */
export function incidentFactsOf({ payload }: IncidentNotification): [label: string, value: string][] {
  const { payload: event, incident, alerts } = payload;
  const { hypothesis } = event;
  const [alert] = alerts;
  const facts: [string, string | null][] = [
    ["Severity", incident.severity],
    ["State", incident.state],
    ["Opened", readableInstant(incident.openedAt)],
    ["Alerts", `${event.memberCount}, ${event.openMemberCount} open`],
    ["Check", alert ? alert.check.name : null],
    ["Rule", alert?.rule.name ?? null],
    ["Target", alert?.targetUrl ?? null],
    ["Locations", alert && alert.locations.length > 0 ? alert.locations.join(", ") : null],
    ["Trace", alert?.traceId ?? null],
    ["Speaks for it", hypothesis.ruledIn.length > 0 ? hypothesis.ruledIn.slice(0, 3).join("; ") : null],
    ["Recurrence of", event.recurrenceOf[0] ?? null],
  ];
  return facts.flatMap(([label, value]) => (value === null || value === "" ? [] : [[label, oneLine(value)]]));
}

export function announcementOfIncident(notification: IncidentNotification): Announcement {
  const { payload, links, incidentId } = notification;
  const { incident, eventType, alerts, occurredAt } = payload;
  return {
    title: incidentTitleOf(notification),
    summary: incidentSummaryOf(notification),
    severity: incident.severity,
    isEnding: endsIncident(eventType),
    symbol: WORDS[eventType].symbol,
    subject: { name: incident.title, url: links.incident },
    facts: incidentFactsOf(notification),
    links: [
      { text: "Open the incident", url: links.incident },
      ...alerts.slice(0, 1).flatMap(({ instanceId, check }) => [
        { text: "Open the alert", url: links.alert(instanceId) },
        { text: "Open the check", url: links.check(check.id) },
      ]),
    ],
    occurredAt,
    threadId: incidentId,
    isFirstOfThread: eventType === "opened",
  };
}

function alertsText(alerts: readonly ToldAlert[], count: number): string {
  const told = alerts.map(({ summary }) => summary).join("; ");
  return count > alerts.length ? `${told}; and ${count - alerts.length} more` : told;
}
