/**
 * An HTTP endpoint of the team's own. The bodies are described in docs/notifications.md and docs/incidents.md;
 * additions keep their version. An incident event may have a body by the channel's template; a template that fails
 * never keeps the event from being sent.
 */
import type { IncidentSnapshot, IncidentWebhookBody, TeamId } from "@svc/contract";
import { threadPool } from "../../platform/threads/thread-pool.ts";
import { isAlertEnd } from "../announce-alert.ts";
import { summaryOfHealth } from "../announce-location.ts";
import { isIncidentEvent } from "../incident-occasions/registry.ts";
import {
  LOCATION_NOTIFICATION_KIND,
  type LocationNotificationKind,
  type LocationNotificationPayload,
  type Notification,
  type NotificationAboutAlert,
  type NotificationAboutIncident,
  type NotificationAboutLocation,
} from "../payload.ts";
import { headersOfRequest, sendRequest } from "./http-request.ts";
import type { RenderedTemplate, TemplateContext } from "./incident-template.ts";
import { type ConfigOf, defineSender } from "./sender.ts";
import { renderTemplateJob } from "./template-jobs.ts";

/** A request to the team's endpoint, before its template is rendered. */
export interface WebhookMessage {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: AlertWebhookBody | IncidentWebhookBody | LocationWebhookBody;
  /** The channel's own template for the event, which is rendered and sent instead of the body. */
  template?: EventTemplate;
}

interface EventTemplate {
  teamId: TeamId;
  eventType: string;
  template: string;
  context: TemplateContext;
}

/** Body of a notification about an alert. */
interface AlertWebhookBody {
  schema_version: 1;
  /** Equal in each attempt. */
  notificationId: string;
  eventType: string;
  isTest: boolean;
  teamId: TeamId;
  occurredAt: string;
  summary: string;
  alert: {
    id: string;
    state: "active" | "acknowledged" | "recovered" | "resolved";
    severity: string;
    startedAt: string;
    durationMs: number | null;
    actorId: string | null;
    traceId: string | null;
    context: Record<string, unknown>;
  };
  rule: NotificationAboutAlert["payload"]["rule"];
  /** null: the alert is about no check, but an SLO of a third party. */
  check: (NonNullable<NotificationAboutAlert["payload"]["check"]> & { targetUrl: string | null }) | null;
  locations: string[];
  links: NotificationAboutAlert["links"];
}

/** Body of a notification about a location. */
interface LocationWebhookBody
  extends Pick<AlertWebhookBody, "schema_version" | "notificationId" | "isTest" | "teamId" | "occurredAt"> {
  eventType: LocationNotificationKind;
  summary: string;
  location: LocationNotificationPayload["location"] &
    Pick<LocationNotificationPayload, "health" | "previousHealth" | "lastHeartbeat" | "checkCount">;
  links: NotificationAboutLocation["links"];
}

/** Sends one request per notification, and reports a template that failed as a note on the delivery. */
export const webhook = defineSender("webhook", {
  render: ({ notification }, config): WebhookMessage => ({
    ...addressOf(notification, config),
    ...contentOf(notification),
  }),
  preview: async ({ notification }) => {
    const sent = await textOf(contentOf(notification));
    return { ...sent, headers: headersOfRequest(ownHeaders(notification), sent.text) };
  },
  send: async (message, context) => {
    const { url, method, headers, template } = message;
    const { text, problem } = await textOf(message);
    const note =
      problem === undefined
        ? undefined
        : `the template of ${template?.eventType} was not used, the default body was sent: ${problem}`;
    if (note !== undefined) context.warn(note);
    const { status } = await sendRequest(context, { url, method, headers, text });
    return { httpStatus: status, ...(note !== undefined && { note }) };
  },
});

/**
 * Returns the text that is sent: what the template of the message gives, else its body. `problem` says why a template was not
 * used. Never throws.
 */
async function textOf({
  body,
  template,
}: Pick<WebhookMessage, "body" | "template">): Promise<{ text: string; problem?: string }> {
  const rendered = template && (await render(template));
  if (rendered?.ok) return { text: rendered.text };
  return { text: JSON.stringify(body), ...(rendered && { problem: rendered.reason }) };
}

function addressOf(notification: Notification, { url, method, headers }: ConfigOf<"webhook">) {
  return { url, method, headers: { ...headers, ...ownHeaders(notification) } };
}

function ownHeaders({ id }: Notification) {
  return { "Svc-Notification-Id": id };
}

function contentOf(notification: Notification): Pick<WebhookMessage, "body" | "template"> {
  if (notification.about === "incident") return incidentContent(notification);
  if (notification.about === "report") throw new TypeError("reports are sent by email alone");
  return {
    body: notification.about === "location" ? locationBodyOf(notification) : alertBodyOf(notification),
  };
}

function incidentContent(notification: NotificationAboutIncident): Pick<WebhookMessage, "body" | "template"> {
  const body = incidentBodyOf(notification);
  const { event, incident } = body;
  const { teamId, eventType } = event;
  const override = notification.template?.overrides[eventType];
  if (!override) return { body };
  return { body, template: { teamId, eventType, template: override.body, context: { ...event, incident } } };
}

/** Renders a template in a job thread, in the team's turn. Never throws: a template that takes too long has failed. */
async function render({ teamId, template, context }: EventTemplate): Promise<RenderedTemplate> {
  try {
    return await threadPool.run(renderTemplateJob, { teamId, input: { template, context } });
  } catch (error) {
    return { ok: false, reason: (error as Error).message };
  }
}

/** @throws TypeError for an occasion that is no event, of which machines are not notified */
function incidentBodyOf(notification: NotificationAboutIncident): IncidentWebhookBody {
  const { teamId, incidentId, links } = notification;
  const { eventId, eventType, actor, occurredAt, payload, incident } = notification.payload;
  if (!isIncidentEvent(eventType)) throw new TypeError(`${eventType} is no event of an incident`);
  const snapshot: IncidentSnapshot = { ...incident, triageUrl: links.incident };
  return {
    schema_version: 1,
    event: { eventId, eventType, incidentId, teamId, actor, occurredAt, payload },
    incident: snapshot,
  };
}

function alertBodyOf(notification: NotificationAboutAlert): AlertWebhookBody {
  const { id, kind, instanceId, teamId, payload, isTest, links } = notification;
  const { rule, check, severity, summary, startedAt, occurredAt, durationMs, targetUrl } = payload;
  const { context, locations, traceId, actorId = null } = payload;
  return {
    schema_version: 1,
    notificationId: id,
    eventType: `alert.${kind}`,
    isTest,
    teamId,
    occurredAt,
    summary,
    alert: {
      id: instanceId,
      severity,
      startedAt,
      durationMs,
      actorId,
      traceId,
      context,
      state: stateAfter(kind),
    },
    rule,
    check: check && { ...check, targetUrl },
    locations,
    links,
  };
}

function locationBodyOf({
  id,
  teamId,
  isTest,
  payload,
  links,
}: NotificationAboutLocation): LocationWebhookBody {
  const { location, health, previousHealth, lastHeartbeat, checkCount, occurredAt } = payload;
  return {
    schema_version: 1,
    notificationId: id,
    eventType: LOCATION_NOTIFICATION_KIND,
    isTest,
    teamId,
    occurredAt,
    summary: summaryOfHealth(payload),
    location: { ...location, health, previousHealth, lastHeartbeat, checkCount },
    links,
  };
}

function stateAfter(kind: NotificationAboutAlert["kind"]): AlertWebhookBody["alert"]["state"] {
  return isAlertEnd(kind) || kind === "acknowledged" ? (kind as "acknowledged") : "active";
}
