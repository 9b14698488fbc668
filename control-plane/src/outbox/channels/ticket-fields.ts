/** Fields of a ServiceNow ticket, from announcements. Pure. */
import { type Severity, truncate } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import type { Notification } from "../payload.ts";

/** Fields by ServiceNow's column names. */
export type TicketFields = Record<string, string>;

const TITLE_MAX = 160;
/** ServiceNow's codes of states: In Progress, for a ticket that is worked on again, and Resolved. */
const STATES = { inProgress: "2", resolved: "6" } as const;
const CLOSE_CODE = "Solution provided";
/** Impact and urgency, from which the instance derives the priority. */
const URGENCY: Record<Severity, string> = { critical: "1", warning: "2", info: "3" };

/** Labels of the link to the subject's page. */
const LABELS: Record<Notification["about"], string> = {
  alert: "Alert",
  incident: "Incident",
  location: "Location",
  report: "Report",
};

/** True when the announcement makes a ticket where there is none. */
export function makesTicket({ effect }: Announcement): boolean {
  return effect === "raise";
}

/** Returns the fields of a new ticket. */
export function ticketOf(announcement: Announcement, assignmentGroup: string | undefined): TicketFields {
  return {
    short_description: truncate(announcement.title, TITLE_MAX),
    description: textOf(announcement),
    ...priorityOf(announcement),
    correlation_id: announcement.threadId,
    correlation_display: "svc",
    ...(assignmentGroup && { assignment_group: assignmentGroup }),
  };
}

/** Returns the changes to a ticket that exists. */
export function changeOf(announcement: Announcement): TicketFields {
  const note = textOf(announcement);
  if (announcement.effect === "end")
    return { work_notes: note, state: STATES.resolved, close_code: CLOSE_CODE, close_notes: note };
  return {
    work_notes: note,
    ...(announcement.changesSeverity && priorityOf(announcement)),
    ...(announcement.reopens && { state: STATES.inProgress }),
  };
}

function priorityOf({ severity }: Announcement): TicketFields {
  return { impact: URGENCY[severity], urgency: URGENCY[severity] };
}

function textOf({ title, summary, details, links, notification }: Announcement): string {
  const lines = details.map(([label, value]) => `${label}: ${value}`);
  const label = LABELS[notification.about];
  return [title, summary, "", ...lines, "", `${label}: ${links[0]?.url}`].join("\n");
}
