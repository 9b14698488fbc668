/** An HTTP endpoint of the team's own. The body is described in docs/notifications.md; additions keep its version. */
import type { AlertNotificationPayload, Notification } from "../notifications/payload.ts";
import { sendRequest } from "./http-request.ts";
import type { ChannelSender, ConfigOf } from "./sender.ts";
import { isEnding } from "./wording.ts";

export interface WebhookMessage {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: WebhookBody;
}

export interface WebhookBody {
  schema_version: 1;
  /** The same at each attempt. */
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
  rule: AlertNotificationPayload["rule"];
  check: AlertNotificationPayload["check"] & { targetUrl: string | null };
  locations: string[];
  links: Notification["links"];
}

export const webhook: ChannelSender<ConfigOf<"webhook">, WebhookMessage> = {
  render: (notification, { url, method, headers }) => ({
    url,
    method,
    headers: { ...headers, "Svc-Notification-Id": notification.id },
    body: bodyOf(notification),
  }),
  send: async (message, { egress, signal }) => ({
    httpStatus: (await sendRequest(egress, message, signal)).status,
  }),
};

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
