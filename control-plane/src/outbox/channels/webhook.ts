/**
 * An HTTP endpoint of the team's own. The bodies are described in docs/notifications.md and docs/incidents.md; additions keep
 * their version. An incident event may have a body by the channel's template; a template that fails never keeps the event
 * from being sent.
 */
import type { IncidentSnapshot, IncidentTemplate, IncidentWebhookBody } from "@svc/contract";
import { isAlertEnd } from "../announce-alert.ts";
import { isIncidentEvent } from "../incident-occasions/registry.ts";
import type { Notification, NotificationAboutAlert, NotificationAboutIncident } from "../payload.ts";
import { sendRequest } from "./http-request.ts";
import { renderTemplate } from "./incident-template.ts";
import { type ConfigOf, defineSender } from "./sender.ts";

export interface WebhookMessage {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: AlertWebhookBody | IncidentWebhookBody;
  /** The rendered template, sent instead of the body. */
  text?: string;
  /** Reason for which the template was not used. */
  warning?: string;
}

/** Body of a notification about an alert. */
export interface AlertWebhookBody {
  schema_version: 1;
  /** Equal in each attempt. */
  notificationId: string;
  eventType: string;
  isTest: boolean;
  teamId: string;
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
  check: NotificationAboutAlert["payload"]["check"] & { targetUrl: string | null };
  locations: string[];
  links: NotificationAboutAlert["links"];
}

export const webhook = defineSender("webhook", {
  render: ({ notification }, config): WebhookMessage => ({
    ...addressOf(notification, config),
    ...(notification.about === "incident"
      ? incidentContent(notification)
      : { body: alertBodyOf(notification) }),
  }),
  send: async (message, { egress, signal, warn }) => {
    if (message.warning !== undefined) warn(message.warning);
    const { status } = await sendRequest(egress, message, signal);
    return { httpStatus: status, ...(message.warning !== undefined && { note: message.warning }) };
  },
});

function addressOf({ id }: Notification, { url, method, headers }: ConfigOf<"webhook">) {
  return { url, method, headers: { ...headers, "Svc-Notification-Id": id } };
}

function incidentContent(
  notification: NotificationAboutIncident,
): Pick<WebhookMessage, "body" | "text" | "warning"> {
  const body = incidentBodyOf(notification);
  return { body, ...templated(body, notification.template) };
}

function templated(
  { event, incident }: IncidentWebhookBody,
  template: IncidentTemplate | null,
): Pick<WebhookMessage, "text" | "warning"> {
  const override = template?.overrides[event.eventType];
  if (!override) return {};
  const rendered = renderTemplate(override.body, { ...event, incident });
  if (rendered.ok) return { text: rendered.text };
  return {
    warning: `the template of ${event.eventType} was not used, the default body was sent: ${rendered.reason}`,
  };
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
    check: { ...check, targetUrl },
    locations,
    links,
  };
}

function stateAfter(kind: NotificationAboutAlert["kind"]): AlertWebhookBody["alert"]["state"] {
  return isAlertEnd(kind) || kind === "acknowledged" ? (kind as "acknowledged") : "active";
}
