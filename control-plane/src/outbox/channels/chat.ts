/** Team chat by an incoming webhook, in the form that Slack defined and others understand: text and one attachment. */
import { truncate, withoutLineBreaks } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import { sendRequest } from "./http-request.ts";
import { defineSender } from "./sender.ts";

/** A request to the incoming webhook. */
export interface ChatMessage {
  url: string;
  body: {
    /** Text for previews, and for services that know no attachments. */
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

/** Longest value that shares its line with another field. */
const SHORT_FIELD_MAX = 40;
const SUMMARY_MAX = 2_000;
const COLORS = { critical: "#d92d20", warning: "#f79009", info: "#2e90fa" } as const;
const GREEN = "#12b76a";

/** Posts one message per notification. Nothing about an earlier message is remembered. */
export const chat = defineSender("chat", {
  render: (announcement, { webhookUrl }): ChatMessage => ({ url: webhookUrl, body: bodyOf(announcement) }),
  send: async ({ url, body }, context) => ({
    httpStatus: (await sendRequest(context, { url, method: "POST", body })).status,
  }),
});

function bodyOf(announcement: Announcement): ChatMessage["body"] {
  const title = escaped(announcement.title);
  const summary = escaped(truncate(withoutLineBreaks(announcement.summary), SUMMARY_MAX));
  const links = announcement.links.map(({ text, url }) => `<${url}|${text}>`).join(" | ");
  return {
    text: `:${announcement.symbol}: *${title}*\n${summary}\n${links}`,
    attachments: [
      {
        color: announcement.isEnding ? GREEN : COLORS[announcement.severity],
        fallback: `${title}: ${summary}`,
        title: escaped(announcement.subject.name),
        title_link: announcement.subject.url,
        text: "",
        mrkdwn_in: ["text"],
        fields: announcement.details.map(([label, value]) => ({
          title: label,
          value: escaped(value),
          short: value.length <= SHORT_FIELD_MAX,
        })),
        ts: Math.floor(Date.parse(announcement.occurredAt) / 1000),
      },
    ],
  };
}

/** Escapes the three characters of markup, so that no name can forge a link or call everyone (`<!channel>`). */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
