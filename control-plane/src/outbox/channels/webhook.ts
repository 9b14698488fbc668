/**
 * An HTTP endpoint of the team's own. The bodies are described in docs/notifications.md and docs/incidents.md; additions keep
 * their version. An incident event may have a body by the channel's template; one that fails never keeps it from being sent.
 */
import type { IncidentSnapshot, IncidentTemplate, IncidentWebhookBody, TeamId } from "@svc/contract";
import type { AlertNotificationPayload, IncidentNotification, Notification } from "../payload.ts";
import { sendRequest } from "./http-request.ts";
import { renderTemplate } from "./incident-template.ts";
import type { ChannelSender, ConfigOf } from "./sender.ts";
import { isEnding } from "./wording.ts";

export interface WebhookMessage {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: WebhookBody | IncidentWebhookBody;
  /** The rendered template, in place of the body. */
  text?: string;
  /** Why the template was not used. */
  warning?: string;
}

export interface WebhookBody {
  schema_version: 1;
  /** The same at each attempt. */
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
  rule: AlertNotificationPayload["rule"];
  check: AlertNotificationPayload["check"] & { targetUrl: string | null };
  locations: string[];
  links: Notification["links"];
}

export const webhook: ChannelSender<ConfigOf<"webhook">, WebhookMessage> = {
  render: (notification, config) => ({ ...addressOf(notification.id, config), body: bodyOf(notification) }),
  renderIncident: (notification, config) => {
    const body = incidentBodyOf(notification);
    return { ...addressOf(notification.id, config), body, ...templated(body, notification.template) };
  },
  send: async (message, { egress, signal, warn }) => {
    if (message.warning !== undefined) warn(message.warning);
    const { status } = await sendRequest(egress, message, signal);
    return { httpStatus: status, ...(message.warning === undefined ? {} : { note: message.warning }) };
  },
};

function addressOf(notificationId: string, { url, method, headers }: ConfigOf<"webhook">) {
  return { url, method, headers: { ...headers, "Svc-Notification-Id": notificationId } };
}

function templated(
  { event, incident }: IncidentWebhookBody,
  template: IncidentTemplate | null,
): Pick<WebhookMessage, "text" | "warning"> {
  const override = template?.overrides[event.eventType];
  if (!override) return {};
  const { eventId, eventType, incidentId, teamId, actor, occurredAt, payload } = event;
  const rendered = renderTemplate(override.body, {
    ...{ eventId, eventType, incidentId, teamId, actor, occurredAt, payload, incident },
  });
  if (rendered.ok) return { text: rendered.text };
  return {
    warning: `the template of ${event.eventType} was not used, the default body was sent: ${rendered.reason}`,
  };
}

/** @throws TypeError on what is no incident event: webhooks are told of those only */
function incidentBodyOf({
  teamId,
  incidentId,
  payload: said,
  links,
}: IncidentNotification): IncidentWebhookBody {
  const { eventId, eventType, actor, occurredAt, payload } = said;
  if (eventType === "alerts_recovered" || eventType === "members_recovered")
    throw new TypeError(`${eventType} is no event of an incident`);
  const incident: IncidentSnapshot = { ...said.incident, triageUrl: links.incident };
  return {
    schema_version: 1,
    event: { eventId, eventType, incidentId, teamId, actor, occurredAt, payload },
    incident,
  };
}

function bodyOf({ id, kind, instanceId, teamId, payload, isTest, links }: Notification): WebhookBody {
  const { rule, check, severity, summary, startedAt, occurredAt, durationMs, targetUrl } = payload;
  const { context, locations, traceId, actorId = null } = payload;
  const state = isEnding(kind) || kind === "acknowledged" ? kind : "active";
  return {
    schema_version: 1,
    notificationId: id,
    eventType: `alert.${kind}`,
    isTest,
    teamId,
    occurredAt,
    summary,
    alert: {
      ...{ id: instanceId, severity, startedAt, durationMs, actorId, traceId, context },
      state: state as WebhookBody["alert"]["state"],
    },
    rule,
    check: { ...check, targetUrl },
    locations,
    links,
  };
}
