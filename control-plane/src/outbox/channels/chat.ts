/** Team chat by an incoming webhook, in the form that Slack defined and others understand: text and one attachment. */
import { oneLine, truncate } from "@svc/contract";
import { type Announcement, announcementOfAlert } from "./announcement.ts";
import { sendRequest } from "./http-request.ts";
import { announcementOfIncident } from "./incident-wording.ts";
import type { ChannelSender, ConfigOf } from "./sender.ts";

export interface ChatMessage {
  url: string;
  body: {
    /** What a preview shows, and services that know no attachments. */
    text: string;
    attachments: {
      color: string;
      fallback: string;
      title: string;
      title_link: string;
      text: string;
      mrkdwn_in: string[];
      fields: { title: string; value: string; short: boolean }[];
      ts: number;
    }[];
  };
}

/** Values longer than this get a line of their own. */
const SHORT_FIELD_MAX = 40;
const SUMMARY_MAX = 2_000;
const COLORS = { critical: "#d92d20", warning: "#f79009", info: "#2e90fa" } as const;
const GREEN = "#12b76a";

export const chat: ChannelSender<ConfigOf<"chat">, ChatMessage> = {
  render: (notification, { webhookUrl }) => ({
    url: webhookUrl,
    body: bodyOf(announcementOfAlert(notification)),
  }),
  renderIncident: (notification, { webhookUrl }) => ({
    url: webhookUrl,
    body: bodyOf(announcementOfIncident(notification)),
  }),
  send: async ({ url, body }, { egress, signal }) => ({
    httpStatus: (await sendRequest(egress, { url, method: "POST", body }, signal)).status,
  }),
};

function bodyOf(said: Announcement): ChatMessage["body"] {
  const title = escaped(said.title);
  const summary = escaped(truncate(oneLine(said.summary), SUMMARY_MAX));
  const links = said.links.map(({ text, url }) => `<${url}|${text}>`).join(" | ");
  return {
    text: `:${said.symbol}: *${title}*\n${summary}\n${links}`,
    attachments: [
      {
        color: said.isEnding ? GREEN : COLORS[said.severity],
        fallback: `${title}: ${summary}`,
        title: escaped(said.subject.name),
        title_link: said.subject.url,
        text: "",
        mrkdwn_in: ["text"],
        fields: said.facts.map(([label, value]) => ({
          title: label,
          value: escaped(value),
          short: value.length <= SHORT_FIELD_MAX,
        })),
        ts: Math.floor(Date.parse(said.occurredAt) / 1000),
      },
    ],
  };
}

/** The three characters that are markup there: without them no name can forge a link or call everyone (<!channel>). */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
