/**
 * A ticketing system by ServiceNow's table API: a ticket when an incident opens, work notes while it lasts, resolved when it
 * ends. The ticket carries the incident's id as its correlation id, so that an attempt whose answer was lost finds the
 * ticket instead of making another.
 */
import type { Severity } from "@svc/contract";
import { truncate } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type {
  AlertNotificationKind,
  IncidentHappening,
  IncidentNotification,
  IncidentNotificationPayload,
  Notification,
} from "../payload.ts";
import { type ChannelRequest, sendRequest } from "./http-request.ts";
import { incidentFactsOf, incidentSummaryOf, incidentTitleOf } from "./incident-wording.ts";
import { type ChannelSender, type ConfigOf, type SendContext, SendError, type SendReport } from "./sender.ts";
import { factsOf, isEnding, titleOf } from "./wording.ts";

export interface TicketingMessage {
  /** The incident table's address. */
  tableUrl: string;
  authorization: string;
  correlationId: string;
  /** The ticket as it is made; null: this notification makes none. */
  ticket: Record<string, string> | null;
  /** What changes about one that is there. */
  change: Record<string, string>;
}

const TITLE_MAX = 160;
/** ServiceNow's state Resolved. */
const STATE_RESOLVED = "6";
const CLOSE_CODE = "Solution provided";
/** Impact and urgency, from which the instance derives the priority. */
const URGENCY: Record<Severity, string> = { critical: "1", warning: "2", info: "3" };

export const ticketing: ChannelSender<ConfigOf<"ticketing">, TicketingMessage> = {
  render: (notification, config) => ({
    ...addressOf(config),
    correlationId: notification.incidentId ?? notification.instanceId,
    ticket: makesTicket(notification.kind)
      ? ticketOf(saidOfAlert(notification), config.assignmentGroup)
      : null,
    change: changeOf(notification),
  }),
  renderIncident: (notification, config) => {
    const said = saidOfIncident(notification);
    const { eventType } = notification.payload;
    return {
      ...addressOf(config),
      correlationId: notification.incidentId,
      ticket: MAKES_TICKET.has(eventType) ? ticketOf(said, config.assignmentGroup) : null,
      change: incidentChangeOf(notification.payload, said),
    };
  },
  send: async (message, context) => {
    const known = context.externalId ?? (await findTicket(message, context));
    if (known !== undefined) return changeTicket(message, known, context);
    if (message.ticket === null) return { httpStatus: null, note: "there is no ticket to change" };
    return createTicket(message, message.ticket, context);
  },
};

function makesTicket(kind: AlertNotificationKind): boolean {
  return kind === "triggered" || kind === "escalated";
}

async function findTicket(message: TicketingMessage, context: SendContext): Promise<string | undefined> {
  const query = new URLSearchParams({
    sysparm_query: `correlation_id=${message.correlationId}`,
    sysparm_fields: "sys_id",
    sysparm_limit: "1",
  });
  const answer = await request(message, context, { url: `${message.tableUrl}?${query}`, method: "GET" });
  const { result } = answer.json as { result?: { sys_id?: unknown }[] };
  const id = Array.isArray(result) ? result[0]?.sys_id : undefined;
  return typeof id === "string" ? id : undefined;
}

async function createTicket(
  message: TicketingMessage,
  body: Record<string, string>,
  context: SendContext,
): Promise<SendReport> {
  const answer = await request(message, context, { url: message.tableUrl, method: "POST", body });
  const { result } = answer.json as { result?: { sys_id?: unknown } };
  if (typeof result?.sys_id !== "string")
    throw new SendError("the ticketing system's answer names no ticket", {
      mayRetry: false,
      httpStatus: answer.status,
    });
  return { httpStatus: answer.status, externalId: result.sys_id };
}

async function changeTicket(
  message: TicketingMessage,
  sysId: string,
  context: SendContext,
): Promise<SendReport> {
  const url = `${message.tableUrl}/${encodeURIComponent(sysId)}`;
  const answer = await request(message, context, { url, method: "PATCH", body: message.change });
  return { httpStatus: answer.status, externalId: sysId };
}

async function request(
  { authorization }: TicketingMessage,
  { egress, signal }: { egress: Egress; signal: AbortSignal },
  { url, method, body }: ChannelRequest,
): Promise<{ status: number; json: unknown }> {
  const headers = { Authorization: authorization, Accept: "application/json" };
  const answer = await sendRequest(egress, { url, method, headers, body }, signal);
  try {
    return { status: answer.status, json: JSON.parse(answer.body.toString("utf8")) ?? {} };
  } catch (cause) {
    // A sleeping or mistaken instance answers 200 with a page.
    throw new SendError("the ticketing system did not answer with JSON; is instanceUrl right?", {
      mayRetry: true,
      httpStatus: answer.status,
      cause,
    });
  }
}

function addressOf({ instanceUrl, username, password }: ConfigOf<"ticketing">) {
  return {
    tableUrl: `${instanceUrl.replace(/[?#].*$/, "").replace(/\/+$/, "")}/api/now/table/incident`,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };
}

/** What a ticket says, of an alert or of an incident. */
interface Said {
  id: string;
  title: string;
  text: string;
  severity: Severity;
}

function ticketOf(
  { id, title, text, severity }: Said,
  assignmentGroup: string | undefined,
): Record<string, string> {
  return {
    short_description: truncate(title, TITLE_MAX),
    description: text,
    impact: URGENCY[severity],
    urgency: URGENCY[severity],
    correlation_id: id,
    correlation_display: "svc",
    ...(assignmentGroup ? { assignment_group: assignmentGroup } : {}),
  };
}

function changeOf(notification: Notification): Record<string, string> {
  const { kind, payload, incidentId } = notification;
  const note = saidOfAlert(notification).text;
  // The ticket stands for the incident: one of its alerts does not end it.
  if (isEnding(kind) && incidentId === undefined) return resolved(note);
  if (kind === "escalated")
    return { work_notes: note, impact: URGENCY[payload.severity], urgency: URGENCY[payload.severity] };
  return { work_notes: note };
}

const MAKES_TICKET: ReadonlySet<IncidentHappening> = new Set([
  "opened",
  "alert_attached",
  "severity_changed",
  "reopened",
]);
const RESOLVES: ReadonlySet<IncidentHappening> = new Set(["members_recovered", "auto_resolved", "closed"]);
/** ServiceNow's state In Progress: of a ticket that is open again. */
const STATE_IN_PROGRESS = "2";

function incidentChangeOf(
  { eventType, payload, alertCount }: IncidentNotificationPayload,
  { text, severity }: Said,
): Record<string, string> {
  if (RESOLVES.has(eventType)) return resolved(text);
  if (!MAKES_TICKET.has(eventType)) return { work_notes: text };
  // Nothing was open before these alerts: the ticket had been resolved.
  const isOpenAgain =
    eventType === "reopened" || (eventType === "alert_attached" && payload.openMemberCount <= alertCount);
  return {
    ...{ work_notes: text, impact: URGENCY[severity], urgency: URGENCY[severity] },
    ...(isOpenAgain ? { state: STATE_IN_PROGRESS } : {}),
  };
}

function resolved(note: string): Record<string, string> {
  return { work_notes: note, state: STATE_RESOLVED, close_code: CLOSE_CODE, close_notes: note };
}

function saidOfAlert(notification: Notification): Said {
  const { payload, links, instanceId, incidentId } = notification;
  const facts = factsOf(notification).map(([label, value]) => `${label}: ${value}`);
  const title = titleOf(notification);
  return {
    ...{ id: incidentId ?? instanceId, title, severity: payload.severity },
    text: [title, payload.summary, "", ...facts, "", `Alert: ${links.instance}`].join("\n"),
  };
}

function saidOfIncident(notification: IncidentNotification): Said {
  const { payload, links, incidentId } = notification;
  const facts = incidentFactsOf(notification).map(([label, value]) => `${label}: ${value}`);
  const title = incidentTitleOf(notification);
  return {
    ...{ id: incidentId, title, severity: payload.incident.severity },
    text: [title, incidentSummaryOf(notification), "", ...facts, "", `Incident: ${links.incident}`].join(
      "\n",
    ),
  };
}
