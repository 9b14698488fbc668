/**
 * Alerts of Jira Service Management, by its integration API, which is that of Opsgenie. The alias identifies the incident: one alert,
 * however often it is created; a further creation counts up. Each request is answered 202 before it is processed.
 */
import { type Severity, truncate, withoutTrailingSlashes } from "@svc/contract";
import type { GuardedResponse } from "@svc/egress";
import type { Announcement } from "../announcement.ts";
import type { Effect } from "../effect.ts";
import { secondsAsMs, sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";

/** A request to the integration API. */
export interface JsmMessage {
  url: string;
  apiKey: string;
  body: Record<string, unknown>;
}

// Lengths that the API takes, in characters.
const MESSAGE_MAX = 130;
const DESCRIPTION_MAX = 15_000;
const ENTITY_MAX = 512;
const VALUE_MAX = 500;
const DETAILS_MAX = 15;
const SOURCE = "svc";

const PRIORITIES: Record<Severity, string> = { critical: "P1", warning: "P3", info: "P5" };

/** Actions on an alert that exists, by the path behind its alias. */
const ACTIONS: Record<Exclude<Effect, "raise">, string> = {
  note: "notes",
  acknowledge: "acknowledge",
  end: "close",
};

/** Creates, acknowledges or closes the alert of an incident, or adds a note to it. */
export const jsm = defineSender("jsm", {
  render: (announcement, { apiKey, apiUrl }): JsmMessage => ({
    apiKey,
    ...requestOf(announcement, `${withoutTrailingSlashes(apiUrl)}/v2/alerts`),
  }),
  send: async ({ url, apiKey, body }, context) => {
    const headers = { Authorization: `GenieKey ${apiKey}` };
    const answer = await sendRequest(context, { url, method: "POST", headers, body, retryAfterMs });
    return { httpStatus: answer.status };
  },
});

function requestOf(announcement: Announcement, alertsUrl: string): Pick<JsmMessage, "url" | "body"> {
  const { effect, threadId } = announcement;
  if (effect === "raise") return { url: alertsUrl, body: alertOf(announcement) };
  const url = `${alertsUrl}/${encodeURIComponent(threadId)}/${ACTIONS[effect]}?identifierType=alias`;
  return { url, body: { source: SOURCE, note: descriptionOf(announcement) } };
}

function alertOf(announcement: Announcement): JsmMessage["body"] {
  const { title, severity, origin, threadId, details } = announcement;
  return {
    message: truncate(title, MESSAGE_MAX),
    alias: threadId,
    description: descriptionOf(announcement),
    details: Object.fromEntries(
      details.slice(0, DETAILS_MAX).map(([label, value]) => [label, truncate(value, VALUE_MAX)]),
    ),
    entity: truncate(origin.component, ENTITY_MAX),
    source: SOURCE,
    tags: ["svc", severity],
    priority: PRIORITIES[severity],
  };
}

function descriptionOf({ title, summary, links }: Announcement): string {
  const lines = links.map(({ text, url }) => `${text}: ${url}`);
  const known = `\n\n${lines.join("\n")}`;
  return `${truncate(`${title}\n${summary}`, DESCRIPTION_MAX - known.length)}${known}`;
}

/** Returns the period in which the limit counts, ms: after it there are requests left for certain. */
function retryAfterMs({ headers }: GuardedResponse): number | undefined {
  return secondsAsMs(headers["x-ratelimit-period-in-sec"]);
}
