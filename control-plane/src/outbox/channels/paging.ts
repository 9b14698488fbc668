/** A paging service by PagerDuty's Events API v2. The incident is the dedup key: one page, whatever is sent again. */
import type { Severity } from "@svc/contract";
import { truncate } from "@svc/contract";
import type {
  AlertNotificationKind,
  IncidentHappening,
  IncidentNotification,
  Notification,
} from "../payload.ts";
import { sendRequest } from "./http-request.ts";
import { incidentFactsOf, incidentSummaryOf, incidentTitleOf } from "./incident-wording.ts";
import type { ChannelSender, ConfigOf } from "./sender.ts";
import { factsOf, titleOf } from "./wording.ts";

export interface PagingMessage {
  region: "us" | "eu";
  body: Record<string, unknown>;
}

/** The service's addresses, by region. */
const BASE_URLS = { us: "https://events.pagerduty.com", eu: "https://events.eu.pagerduty.com" } as const;
/** Largest that the API takes. */
const SUMMARY_MAX = 1_024;

type Action = "trigger" | "acknowledge" | "resolve";

const ACTIONS: Record<AlertNotificationKind, Action> = {
  triggered: "trigger",
  // The same key again: the open page takes the new severity.
  escalated: "trigger",
  acknowledged: "acknowledge",
  recovered: "resolve",
  resolved: "resolve",
};

/** With the same key a trigger updates the page that is there. */
const INCIDENT_ACTIONS: Record<IncidentHappening, Action> = {
  opened: "trigger",
  reopened: "trigger",
  alert_attached: "trigger",
  severity_changed: "trigger",
  alerts_recovered: "trigger",
  note_added: "trigger",
  acknowledged: "acknowledge",
  members_recovered: "resolve",
  auto_resolved: "resolve",
  closed: "resolve",
};

const SEVERITIES: Record<Severity, string> = { critical: "critical", warning: "warning", info: "info" };

export const paging: ChannelSender<ConfigOf<"paging">, PagingMessage> = {
  render: (notification, { routingKey, serviceRegion }) => ({
    region: serviceRegion,
    body: bodyOf(notification, routingKey),
  }),
  renderIncident: (notification, { routingKey, serviceRegion }) => ({
    region: serviceRegion,
    body: incidentBodyOf(notification, routingKey),
  }),
  send: async ({ region, body }, { egress, operatorEgress, settings, signal }) => {
    const own = settings.pagingBaseUrl?.replace(/\/+$/, "");
    const url = `${own ?? BASE_URLS[region]}/v2/enqueue`;
    const answer = await sendRequest(own ? operatorEgress : egress, { url, method: "POST", body }, signal);
    return { httpStatus: answer.status };
  },
};

function bodyOf(notification: Notification, routingKey: string): PagingMessage["body"] {
  const { kind, instanceId, incidentId, payload, links } = notification;
  const action = ACTIONS[kind];
  const key = { routing_key: routingKey, event_action: action, dedup_key: incidentId ?? instanceId };
  if (action !== "trigger") return key;
  return {
    ...key,
    client: "svc",
    client_url: links.instance,
    links: [
      { href: links.instance, text: "Open the alert" },
      { href: links.check, text: "Open the check" },
    ],
    payload: {
      summary: truncate(`${titleOf(notification)} - ${payload.summary}`, SUMMARY_MAX),
      source: payload.targetUrl ?? payload.check.name,
      severity: SEVERITIES[payload.severity],
      timestamp: payload.occurredAt,
      component: payload.check.name,
      group: payload.rule.name ?? payload.check.id,
      class: payload.check.type,
      custom_details: { ...Object.fromEntries(factsOf(notification)), context: payload.context },
    },
  };
}

function incidentBodyOf(notification: IncidentNotification, routingKey: string): PagingMessage["body"] {
  const { incidentId, payload, links } = notification;
  const action = INCIDENT_ACTIONS[payload.eventType];
  const key = { routing_key: routingKey, event_action: action, dedup_key: incidentId };
  if (action !== "trigger") return key;
  const { incident, alerts, occurredAt } = payload;
  const { hypothesis } = payload.payload;
  const [alert] = alerts;
  return {
    ...key,
    client: "svc",
    client_url: links.incident,
    links: [
      { href: links.incident, text: "Open the incident" },
      ...(alert ? [{ href: links.alert(alert.instanceId), text: "Open the alert" }] : []),
    ],
    payload: {
      summary: truncate(`${incidentTitleOf(notification)} - ${incidentSummaryOf(notification)}`, SUMMARY_MAX),
      source: alert?.targetUrl ?? incident.title,
      severity: SEVERITIES[incident.severity],
      timestamp: occurredAt,
      component: alert?.check.name ?? incident.title,
      group: incidentId,
      class: "incident",
      custom_details: { ...Object.fromEntries(incidentFactsOf(notification)), hypothesis },
    },
  };
}
