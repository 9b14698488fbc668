/**
 * Sends to a pager service over PagerDuty's Events API v2. The dedup key identifies the incident: one page, however
 * often it is sent.
 */
import { type Severity, truncate } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import type { Effect } from "../effect.ts";
import { sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";

/** An event for the pager service of a region. */
export interface PageMessage {
  region: "us" | "eu";
  body: Record<string, unknown>;
}

/** Addresses of the service, by region. */
const BASE_URLS = { us: "https://events.pagerduty.com", eu: "https://events.eu.pagerduty.com" } as const;
/** Longest summary that the API takes, characters. */
const SUMMARY_MAX = 1_024;
/** Links of one page: that of the incident or alert, and the next one. */
const LINKS_MAX = 2;

/** A trigger by the key of an open page updates the page: it takes the new severity and summary. */
const ACTIONS: Record<Effect, "trigger" | "acknowledge" | "resolve"> = {
  raise: "trigger",
  note: "trigger",
  acknowledge: "acknowledge",
  end: "resolve",
};

const SEVERITIES: Record<Severity, string> = { critical: "critical", warning: "warning", info: "info" };

/** Triggers, acknowledges or resolves the page of an incident, as the notification says. */
export const paging = defineSender("paging", {
  render: (announcement, { routingKey, serviceRegion }): PageMessage => ({
    region: serviceRegion,
    body: bodyOf(announcement, routingKey),
  }),
  send: async ({ region, body }, context) => {
    const { egress, operatorEgress, settings } = context;
    const ownBaseUrl = settings.pagingBaseUrl?.replace(/\/+$/, "");
    const url = `${ownBaseUrl ?? BASE_URLS[region]}/v2/enqueue`;
    const way = ownBaseUrl ? operatorEgress : egress;
    const answer = await sendRequest({ ...context, egress: way }, { url, method: "POST", body });
    return { httpStatus: answer.status };
  },
});

function bodyOf(announcement: Announcement, routingKey: string): PageMessage["body"] {
  const { threadId, effect, links, origin } = announcement;
  const action = ACTIONS[effect];
  const key = { routing_key: routingKey, event_action: action, dedup_key: threadId };
  if (action !== "trigger") return key;
  return {
    ...key,
    client: "svc",
    client_url: links[0]?.url,
    links: links.slice(0, LINKS_MAX).map(({ text, url }) => ({ href: url, text })),
    payload: {
      summary: truncate(`${announcement.title} - ${announcement.summary}`, SUMMARY_MAX),
      source: origin.source,
      severity: SEVERITIES[announcement.severity],
      timestamp: announcement.occurredAt,
      component: origin.component,
      group: origin.group,
      class: origin.class,
      custom_details: { ...Object.fromEntries(announcement.details), ...announcement.evidence },
    },
  };
}
