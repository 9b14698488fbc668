/** The timeline of an incident: its events, alerts, notifications, notes and what else happened, in one order. No I/O. */
import { alertStates, deliveryStates, type StateWord, severityWords } from "../../status/words.ts";
import type { ShownAlert, ShownAnnotation, ShownNotification, Triage } from "./triage.ts";

/** What an entry is about. */
type EntryKind = "Incident" | "Alert" | "Note" | "Notification" | "Deployment" | "Change";

/** One entry. */
export interface TimelineEntry {
  key: string;
  /** ISO instant. */
  at: string;
  kind: EntryKind;
  /** Decides the mark beside it. */
  mark: StateWord["mark"];
  text: string;
  /** Name of the person who did it. */
  by?: string | undefined;
  /** Text of a note, or what went wrong. */
  body?: string | undefined;
  alertId?: string;
}

/** What the timeline is made of. */
export interface TimelineSources extends Pick<Triage, "events" | "alerts"> {
  notifications: readonly ShownNotification[];
  annotations: readonly ShownAnnotation[];
}

type Event = Triage["events"][number];

/** Returns all entries, oldest first. */
export function timelineOf({ events, alerts, notifications, annotations }: TimelineSources): TimelineEntry[] {
  const known = new Set<string>(alerts.map(({ id }) => id));
  const entries = [
    ...events.flatMap((event) => entryOfEvent(event, known) ?? []),
    ...alerts.flatMap(entriesOfAlert),
    ...notifications.map(entryOfNotification),
    ...annotations.flatMap((one) => entryOfAnnotation(one) ?? []),
  ];
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Returns the timeline as text, one line for each entry, instants in UTC. */
export function timelineText(entries: readonly TimelineEntry[]): string {
  const lines = entries.map(({ at, kind, text, by, body }) => {
    const said = `${new Date(at).toISOString()}  ${kind}: ${text}${by === undefined ? "" : `, by ${by}`}`;
    return body === undefined ? said : `${said}\n    ${body.replaceAll("\n", "\n    ")}`;
  });
  return `${lines.join("\n")}\n`;
}

/** Returns the entry of an event; undefined where alerts that joined have entries of their own. */
function entryOfEvent(event: Event, known: ReadonlySet<string>): TimelineEntry | undefined {
  const { id, eventType, occurredAt, actor, payload } = event;
  const attached = payload.attachedAlertInstanceIds ?? [];
  if (eventType === "alert_attached" && attached.every((alertId) => known.has(alertId))) return undefined;
  const isNote = eventType === "note_added";
  return {
    key: id,
    at: occurredAt,
    kind: isNote ? "Note" : "Incident",
    mark: MARKS[eventType],
    text: eventText(event),
    by: actor.type === "system" ? undefined : (actor.name ?? actor.id ?? undefined),
    body: payload.note?.body,
  };
}

const MARKS: Readonly<Record<Event["eventType"], StateWord["mark"]>> = {
  opened: "failing",
  alert_attached: "failing",
  severity_changed: "slow",
  unacknowledged: "failing",
  acknowledged: "slow",
  auto_resolved: "good",
  closed: "quiet",
  reopened: "failing",
  note_added: "unknown",
};

function eventText({ eventType, payload }: Event): string {
  const attached = payload.attachedAlertInstanceIds?.length ?? 0;
  switch (eventType) {
    case "opened":
      return `Opened: ${payload.title}`;
    case "alert_attached":
      return attached === 1 ? "An alert joined" : `${attached} alerts joined`;
    case "severity_changed":
      return payload.previousSeverity === undefined
        ? `Severity is now ${severityWords[payload.severity]}`
        : `Severity went from ${severityWords[payload.previousSeverity]} to ${severityWords[payload.severity]}`;
    case "acknowledged":
      return "Acknowledged";
    case "auto_resolved":
      return "Resolved: no alert is open any more";
    case "closed":
      return payload.reason === undefined ? "Closed" : `Closed: ${payload.reason}`;
    case "reopened":
      return "Reopened";
    case "unacknowledged":
      return `Nobody acknowledged for ${payload.unacknowledgedMinutes ?? 0} min: the channels of this step are notified${
        payload.onDuty ? `, and ${payload.onDuty.member}, who is on duty for ${payload.onDuty.rotaName}` : ""
      }`;
    case "note_added":
      return "Note";
  }
}

function entriesOfAlert(alert: ShownAlert): TimelineEntry[] {
  const name = [alert.checkName, alert.ruleName ?? "alert"].filter((part) => part !== null).join(": ");
  const entry = (at: string | null, state: ShownAlert["state"], text: string): TimelineEntry[] =>
    at === null
      ? []
      : [
          {
            key: `${alert.id} ${state}`,
            at,
            kind: "Alert",
            mark: alertStates[state].mark,
            text: `${name} ${text}`,
            alertId: alert.id,
          },
        ];
  return [
    ...entry(alert.startedAt, "active", "fired"),
    ...entry(alert.acknowledgedAt, "acknowledged", "was acknowledged"),
    ...entry(alert.recoveredAt, "recovered", "recovered"),
    ...entry(alert.resolvedAt, "resolved", "was resolved"),
  ];
}

function entryOfNotification(one: ShownNotification): TimelineEntry {
  const { id, channelName, channelType, eventType, status, error, createdAt } = one;
  const outcome = {
    pending: "is being notified",
    delivered: "was notified",
    failed: "could not be notified",
    skipped: "was not notified",
  }[status];
  return {
    key: id,
    at: createdAt,
    kind: "Notification",
    mark: deliveryStates[status].mark,
    text: `${channelName} (${channelType}) ${outcome}: ${eventType.replaceAll("_", " ")}`,
    body: status === "delivered" ? undefined : (error ?? undefined),
  };
}

/** Returns the entry of something beside the incident; alerts and incidents have entries of their own. */
function entryOfAnnotation({ kind, at, title, subjectId }: ShownAnnotation): TimelineEntry | undefined {
  if (kind === "alert" || kind === "incident") return undefined;
  const isDeployment = kind === "deployment";
  return {
    key: `${kind} ${at} ${subjectId}`,
    at,
    kind: isDeployment ? "Deployment" : "Change",
    mark: "unknown",
    text: isDeployment ? `${title} was deployed` : title,
  };
}
