/**
 * A ticketing system by ServiceNow's table API: an incident when an alert triggers, work notes while it lasts, resolved
 * when it ends. The ticket carries the alert instance's id as its correlation id, so that an attempt whose answer was lost
 * finds the ticket instead of making another.
 */
import type { Severity } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { AlertNotificationKind, Notification } from "../notifications/payload.ts";
import { type ChannelRequest, sendRequest } from "./http-request.ts";
import { type ChannelSender, type ConfigOf, type SendContext, SendError, type SendReport } from "./sender.ts";
import { factsOf, isEnding, shortened, titleOf } from "./wording.ts";

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
    tableUrl: `${config.instanceUrl.replace(/[?#].*$/, "").replace(/\/+$/, "")}/api/now/table/incident`,
    authorization: `Basic ${Buffer.from(`${config.username}:${config.password}`).toString("base64")}`,
    correlationId: notification.instanceId,
    ticket: makesTicket(notification.kind) ? ticketOf(notification, config.assignmentGroup) : null,
    change: changeOf(notification),
  }),
  send: async (message, context) => {
    const known = context.externalId ?? (await findTicket(message, context));
    if (known !== undefined) return changeTicket(message, known, context);
    if (message.ticket === null) return { httpStatus: null, note: "there is no ticket for this alert" };
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

function ticketOf(notification: Notification, assignmentGroup: string | undefined): Record<string, string> {
  const { payload, instanceId } = notification;
  return {
    short_description: shortened(titleOf(notification), TITLE_MAX),
    description: textOf(notification),
    impact: URGENCY[payload.severity],
    urgency: URGENCY[payload.severity],
    correlation_id: instanceId,
    correlation_display: "svc",
    ...(assignmentGroup ? { assignment_group: assignmentGroup } : {}),
  };
}

function changeOf(notification: Notification): Record<string, string> {
  const { kind, payload } = notification;
  const note = textOf(notification);
  if (isEnding(kind))
    return { work_notes: note, state: STATE_RESOLVED, close_code: CLOSE_CODE, close_notes: note };
  if (kind === "escalated")
    return { work_notes: note, impact: URGENCY[payload.severity], urgency: URGENCY[payload.severity] };
  return { work_notes: note };
}

function textOf(notification: Notification): string {
  const { payload, links } = notification;
  const facts = factsOf(notification).map(([label, value]) => `${label}: ${value}`);
  return [titleOf(notification), payload.summary, "", ...facts, "", `Alert: ${links.instance}`].join("\n");
}
